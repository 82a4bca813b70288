import type { Account, ListRecord } from '@mailproof/client';
import type { Surroundings } from '../command.ts';
import { readLines } from '../input/read-lines.ts';
import { counted, grouped } from '../present/count.ts';
import { countsOf, shown } from '../lists/present-list.ts';

/** Asks to confirm the cost of a list that was described, unless it is free or --yes was given. */
export async function agreeOnCost(
  { credits_needed: needed }: ListRecord,
  { yes }: { yes: boolean },
  { terminal }: Surroundings,
): Promise<boolean> {
  if (yes || needed === 0) return true;
  if (!terminal.inputIsTerminal) {
    terminal.tell(
      'mailproof: The cost must be confirmed, and the input is not a terminal. To agree in advance, add --yes.',
    );
    return false;
  }
  terminal.tell('Continue? Type y or n, then press Enter.');
  for await (const [line] of readLines(terminal.input)) {
    const agreed = line?.kind === 'line' && /^\s*y(?:es)?\s*$/i.test(line.text);
    if (!agreed) terminal.tell('Nothing was spent.');
    return agreed;
  }
  return false;
}

/** What was found in the file, and what it costs at most or what became of it before. */
export function describeFound(list: ListRecord, { credits }: Account): string[] {
  const { column, columns } = list;
  const name = JSON.stringify(shown(columns[column]?.name ?? ''));
  const where =
    columns.length > 1 ? [`Addresses in column ${name} (${column + 1} of ${columns.length})`] : [];
  return [countsOf(list), ...where, ...suggestionsOf(list), describeState(list, credits.available)];
}

/** Domains that look mistyped, told before anything is spent on them. */
function suggestionsOf({ state, suggestions }: ListRecord): string[] {
  if (state !== 'surveyed') return [];
  return suggestions.map(
    ({ domain, did_you_mean: meant, rows }) =>
      `Possible typo: ${shown(domain)} (${counted(rows, 'row')}). Did you mean ${shown(meant)}?`,
  );
}

function describeState(list: ListRecord, available: number): string {
  const { state, checked, wanted, sandbox, credits_needed: needed } = list;
  switch (state) {
    case 'surveyed':
      return sandbox
        ? 'Cost: free (test key)'
        : `Cost: up to ${counted(needed, 'credit')}, for conclusive results only; the account has ${grouped(available)}`;
    case 'running':
      return `Resuming: ${grouped(checked)} of ${counted(wanted, 'address', 'addresses')} already checked`;
    case 'paused':
      return `The list is paused. To resume it, run mailproof lists resume ${list.list_id}`;
    case 'completed':
      return 'This list was checked before. Downloading its results';
    case 'cancelled':
      return 'The list was cancelled';
  }
}
