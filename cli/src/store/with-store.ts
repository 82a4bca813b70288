import { systemClock } from '@mailproof/engine';
import {
  createWallClock,
  openStore,
  StoreOpenError,
  StoreUnavailableError,
  type OpenStoreOptions,
  type Store,
  type WallClock,
} from '@mailproof/service';
import { exitCodes, type ExitCode, type Surroundings } from '../command.ts';
import { loadConfig } from '../config.ts';
import { printable } from '../present/text.ts';

/** The audit log names the command line as the author of changes. */
type StoreParts = { store: Store; wallClock: WallClock; actor: 'command_line' };

/**
 * The frame of a command that works on the service's store, which may be in use by a running service. A store that
 * cannot be used is a fault of the machine and is told in one line. A service of the version before may be running,
 * so no command but `migrate` changes the schema.
 */
export async function withStore(
  surroundings: Surroundings,
  use: (parts: StoreParts) => Promise<ExitCode>,
  right: OpenStoreOptions['right'] = 'create',
): Promise<ExitCode> {
  const config = loadConfig(surroundings);
  if (config === undefined) return exitCodes.environment;
  const { databaseUrl, dataDir } = config;
  try {
    const store = await openStore({ databaseUrl, dataDir, check: false, right });
    const wallClock = store.clock ?? createWallClock({ monotonic: systemClock, wall: Date });
    try {
      return await use({ store, wallClock, actor: 'command_line' });
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreOpenError || error instanceof StoreUnavailableError)) throw error;
    surroundings.terminal.tell(`mailproof: ${error.message}`);
    return exitCodes.environment;
  }
}

/** A line of output: words for a person, or the row as JSON for a program. */
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

/** Refuses the command: its arguments name something that does not exist or is not allowed. */
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
