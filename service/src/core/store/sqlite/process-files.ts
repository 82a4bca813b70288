import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProcessRegistry, ProcessRole } from '../process-registry.ts';

/**
 * Tells which of the processes that worked on this data directory have died.
 *
 * Each process holds the lock of a file of its own for as long as it runs. The system lets go of the lock when the
 * process dies, however it dies, so at the next start what a killed process held can be given back at once,
 * while a second process that lives and works on the same directory is left alone. The lock is SQLite's, taken
 * on an empty file, because Node has none of its own. Where a file is lost, expiry gives back the same, later.
 * The file is named after the process and its role.
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

/** The processes that live, for a program that is none of them. */
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
