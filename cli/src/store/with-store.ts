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
import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';

/** Whatever a command changes is written down as done from the command line. */
type StoreParts = { store: Store; wallClock: WallClock; actor: 'command_line' };

/**
 * The frame of a command that works on the service's store, which may be in use by a running service.
 * What keeps the store from serving is the machine's fault, not ours, and is told in one line. A service of the version
 * before may be running, so no command but `migrate` changes the schema.
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
