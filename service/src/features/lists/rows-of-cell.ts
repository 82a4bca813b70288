import type { Address } from '@mailproof/engine';
import { readCell } from './reading/read-cell.ts';

/** What a row of the file is to the list, before duplicates are told apart. */
export type SurveyedRow =
  | { kind: 'blank' }
  | { kind: 'rejected'; cell: string; fault: string }
  | { kind: 'address'; address: Address; repaired: string | null };

const cellCharactersKept = 254;

/** The rows that one cell makes: one, or where every address has a row of its own, as many as there are. */
export function rowsOfCell(cell: string, split: boolean): SurveyedRow[] {
  const reading = readCell(cell);
  switch (reading.kind) {
    case 'blank':
      return [{ kind: 'blank' }];
    case 'rejected':
      return [{ kind: 'rejected', cell: cell.trim().slice(0, cellCharactersKept), fault: reading.fault }];
    case 'address': {
      const { address, repaired, others } = reading;
      if (!repaired) return [{ kind: 'address', address, repaired: null }];
      if (split)
        return [address, ...others].map((one) => ({ kind: 'address', address: one, repaired: one.email }));
      return [{ kind: 'address', address, repaired: tellRepair(address, others) }];
    }
  }
}

const othersTold = 10;

/** The address that is checked, and those in the same cell that are not. */
function tellRepair(address: Address, others: Address[]): string {
  if (others.length === 0) return address.email;
  const told = others.slice(0, othersTold).map(({ email }) => email);
  const more = others.length > told.length ? `, and ${others.length - told.length} more` : '';
  return `${address.email} (not checked: ${told.join(', ')}${more})`;
}
