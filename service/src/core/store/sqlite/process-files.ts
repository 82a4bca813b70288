import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProcessRegistry, ProcessRole } from '../process-registry.ts';

/**
 * Tells which processes on this data directory have died.
 *
 * Each process locks a file of its own while it runs. The system releases the lock when the process dies, however
 * it dies. So the next start can give back at once what a killed process held, and leaves living processes on the
 * same directory alone. The lock is SQLite's, on an empty file, because Node has no file locks. If a file is lost,
 * the holds still expire, later. The file is named after the process and its role.
 */
export function registerInDataDir(dataDir: string, role: ProcessRole = 'all'): ProcessRegistry {
  const folder = join(dataDir, 'processes');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const id = randomUUID();
  const lock = takeLock(join(folder, `${id}.${role}`));
  if (lock === undefined) throw new Error('the lock of a new process is already taken');

  const others = () => findProcesses(folder).filter((other) => other.id !== id);
  return {
    ownId: id,
    findDead: () =>
      Promise.resolve(
        others()
          .filter(isDead)
          .map((other) => other.id),
      ),
    findLiving: () =>
      Promise.resolve([
        { id, role },
        ...others()
          .filter((other) => !isDead(other))
          .map((other) => ({ id: other.id, role: other.role })),
      ]),
    remove: (processId) => {
      const found = others().find((other) => other.id === processId);
      removeProcess(folder, processId);
      return Promise.resolve(found?.role);
    },
    leave: () => {
      if (lock.isOpen) lock.close();
      removeProcess(folder, id);
      return Promise.resolve();
    },
  };
}

/** Returns the living processes, for a program that is not one of them. */
export function findLivingIn(dataDir: string): { id: string; role: ProcessRole }[] {
  const folder = join(dataDir, 'processes');
  if (!existsSync(folder)) return [];
  return findProcesses(folder)
    .filter((found) => !isDead(found))
    .map(({ id, role }) => ({ id, role }));
}

function isDead({ file }: FoundProcess): boolean {
  const free = takeLock(file);
  free?.close();
  return free !== undefined;
}

type FoundProcess = { id: string; role: ProcessRole; file: string };

function findProcesses(folder: string): FoundProcess[] {
  return readdirSync(folder).flatMap((name) => {
    const [, id, role] = /^([\da-f-]{36})\.(all|api|worker|prober)$/.exec(name) ?? [];
    return id === undefined ? [] : [{ id, role: role as ProcessRole, file: join(folder, name) }];
  });
}

function removeProcess(folder: string, id: string): void {
  for (const found of findProcesses(folder)) if (found.id === id) rmSync(found.file, { force: true });
}

/** Returns `undefined` if another process holds the lock. */
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
