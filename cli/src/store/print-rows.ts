import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { printable } from '../present/printable.ts';

/** What a command prints: words for a person, or the row as JSON for a program. */
export type PrintedRow = { row: object; words: string };

export async function printRows(
  said: readonly PrintedRow[],
  { json }: { json: boolean },
  { terminal }: Surroundings,
): Promise<ExitCode> {
  const lines = said.map(({ row, words }) => (json ? JSON.stringify(row) : printable(words)));
  if (lines.length > 0) await terminal.write(`${lines.join('\n')}\n`);
  return exitCodes.ok;
}

/** What the command names is not there, or cannot be meant. */
export function refuse(why: string, { terminal }: Surroundings): ExitCode {
  terminal.tell(`mailproof: ${why}`);
  return exitCodes.usage;
}

export function noAccount(accountId: string, surroundings: Surroundings): ExitCode {
  return refuse(
    `No account ${JSON.stringify(accountId)}. To see all accounts, run mailproof accounts list.`,
    surroundings,
  );
}
