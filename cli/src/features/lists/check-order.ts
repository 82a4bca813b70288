import type { Account, Client, ListRecord } from '@mailproof/client';
import { ServiceProblem, openClient } from '../../api/connection.ts';
import { exitCodes, type Surroundings } from '../../command.ts';
import { readLines } from '../../input/read-lines.ts';
import { counted, grouped } from '../../present/text.ts';
import { countsOf, shown } from './present-list.ts';

/** The arguments of `mailproof check`. */
export type CheckOrder = {
  /** `-` is the standard input. */
  input: string;
  output: string;
  /** By its place from 0, or by its heading. */
  column: number | string | undefined;
  split: boolean;
  client: Client;
  yes: boolean;
  force: boolean;
  json: boolean;
};

type Given = {
  output: string | undefined;
  column: string | undefined;
  url: string | undefined;
  'key-file': string | undefined;
  split: boolean;
  yes: boolean;
  json: boolean;
  force: boolean;
};

export async function readOrder(
  given: Given,
  input: string,
  surroundings: Surroundings,
): Promise<CheckOrder> {
  const { output, split, yes, json, force } = given;
  if (output === undefined || output === '-')
    throw new ServiceProblem(exitCodes.usage, 'Missing --output FILE');
  if (input === '-' && !yes)
    throw new ServiceProblem(
      exitCodes.usage,
      'The list comes from standard input, so the cost cannot be confirmed there. Add --yes.',
    );
  const column = readColumn(given.column);
  const client = await openClient(given, surroundings);
  return { input, output, column, split, client, yes, json, force };
}

/** People count from 1, the service from 0. */
function readColumn(text: string | undefined): number | string | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return text;
  if (Number(text) === 0) throw new ServiceProblem(exitCodes.usage, '--column counts from 1');
  return Number(text) - 1;
}

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

/** Describes the content of the file with its highest cost, or the state of its earlier run. */
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
