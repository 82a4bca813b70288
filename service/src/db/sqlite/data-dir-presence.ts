import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Presence } from '../presence.ts';

/**
 * Tells which of the processes that worked on this data directory have died.
 *
 * Each process holds the lock of a file of its own for as long as it runs. The system lets go of the lock when the
 * process dies, however it dies, so at the next start what a killed process held can be given back at once,
 * while a second process that lives and works on the same directory is left alone. The lock is SQLite's, taken
 * on an empty file, because Node has none of its own. Where a file is lost, expiry gives back the same, later.
 */
export function announceInDataDir(dataDir: string): Presence {
  const folder = join(dataDir, 'processes');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const id = randomUUID();
  const lock = takeLock(join(folder, id));
  if (lock === undefined) throw new Error('the lock of a new process is already taken');

  function isDead(other: string): boolean {
    const free = takeLock(join(folder, other));
    free?.close();
    return free !== undefined;
  }

  return {
    id,
    findDead: () => readdirSync(folder).filter((other) => isId.test(other) && other !== id && isDead(other)),
    bury: (processId) => rmSync(join(folder, processId), { force: true }),
    leave: () => {
      lock.close();
      rmSync(join(folder, id), { force: true });
    },
  };
}

const isId = /^[\da-f-]{36}$/;

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
