import type { Address } from '@mailproof/engine';
import { readCell } from './reading/read-cell.ts';

/** A row of the file as the survey reads it, before duplicates are found. */
export type SurveyedRow =
  | { kind: 'blank' }
  | { kind: 'rejected'; cell: string; fault: string }
  | { kind: 'address'; address: Address; repaired: string | null };

const cellCharactersKept = 254;

/** Returns the rows of one cell: one, or if every address gets a row of its own, one per address. */
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

/** Names the address that is checked, and the addresses in the same cell that are not. */
function tellRepair(address: Address, others: Address[]): string {
  if (others.length === 0) return address.email;
  const told = others.slice(0, othersTold).map(({ email }) => email);
  const more = others.length > told.length ? `, and ${others.length - told.length} more` : '';
  return `${address.email} (not checked: ${told.join(', ')}${more})`;
}
