import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { printable } from '../present/printable.ts';

/** Words for a person, the row for a program; `json` decides which. */
export type Said = { row: object; words: string };

export async function say(
  said: readonly Said[],
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
    `there is no account ${JSON.stringify(accountId)}; mailproof accounts list shows them`,
    surroundings,
  );
}
