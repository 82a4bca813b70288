import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Tells whether a process that wrote its id into the store still lives.
 *
 * Each process holds the lock of a file of its own for as long as it runs. The system lets go of the lock
 * when the process dies, however it dies, so at the next start what a killed process held can be given
 * back at once, while a second process that lives and works on the same data directory is left alone.
 * The lock is SQLite's, taken on an empty file, because Node has none of its own.
 */
export type Presence = {
  id: string;
  isAlive(processId: string): boolean;
  leave(): void;
};

export function announceProcess(dataDir: string): Presence {
  const folder = join(dataDir, 'processes');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const id = randomUUID();
  const lock = takeLock(join(folder, id));
  if (lock === undefined) throw new Error('the lock of a new process is already taken');

  return {
    id,
    isAlive: (processId) => {
      if (processId === id) return true;
      // Ids come out of the store; none of them may name another place.
      const file = join(folder, processId.replaceAll(/[^\w-]/g, ''));
      if (!existsSync(file)) return false;
      const free = takeLock(file);
      if (free === undefined) return true;
      free.close();
      rmSync(file, { force: true });
      return false;
    },
    leave: () => {
      lock.close();
      rmSync(join(folder, id), { force: true });
    },
  };
}

/** `undefined` where another holds it. */
function takeLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined;
    throw error;
  }
}
