import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { StoreUnavailableError } from './store-unavailable-error.ts';

/** How one operation of a group ended. */
export type Outcome = { kind: 'done'; value: unknown } | { kind: 'threw'; error: unknown };

export type CommitGroupParts = {
  connection: Connection;
  limits: { lockWaitMs: number; lockRetryMs: number };
};

type Operation = () => Promise<unknown>;

/**
 * Runs operations side by side in one transaction and commits them. One that throws is undone alone: everything
 * is rolled back and run again, this time one after the other with a savepoint around each, so the usual case
 * pays for none. A store that fails undoes them all and throws.
 */
export async function commitGroup(operations: Operation[], parts: CommitGroupParts): Promise<Outcome[]> {
  const { connection } = parts;
  try {
    await begin(parts);
    let outcomes = await runPlainly(operations);
    if (outcomes === undefined) {
      await connection.execute('rollback', []);
      await begin(parts);
      outcomes = await runGuarded(operations, connection);
    }
    await connection.execute('commit', []);
    return outcomes;
  } catch (error) {
    // If even this fails, the next group's beginning tries again.
    if (connection.inTransaction()) await connection.execute('rollback', []).catch(() => undefined);
    throw error;
  }
}

/**
 * All at once: their statements interleave, so that a group waits for the store as often as its longest operation
 * and not as often as all together. `undefined` if any operation threw.
 */
async function runPlainly(operations: Operation[]): Promise<Outcome[] | undefined> {
  const attempts = await Promise.allSettled(operations.map(attempt));
  const outcomes: Outcome[] = [];
  for (const settled of attempts) {
    if (settled.status === 'rejected') throw settled.reason;
    outcomes.push(settled.value);
  }
  return outcomes.some(({ kind }) => kind === 'threw') ? undefined : outcomes;
}

async function runGuarded(operations: Operation[], connection: Connection): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const operation of operations) {
    await connection.execute('savepoint operation', []);
    const outcome = await attempt(operation);
    if (outcome.kind === 'threw') await connection.execute('rollback to operation', []);
    await connection.execute('release operation', []);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** A failing store is everybody's trouble and ends the group; any other throw is the operation's own. */
async function attempt(operation: Operation): Promise<Outcome> {
  try {
    return { kind: 'done', value: await operation() };
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    return { kind: 'threw', error };
  }
}

/** Waits for another process's lock without standing still: requests are read and refused meanwhile. */
async function begin({ connection, limits }: CommitGroupParts): Promise<void> {
  if (connection.inTransaction()) await connection.execute('rollback', []);
  for (let waitedMs = 0; ; waitedMs += limits.lockRetryMs) {
    try {
      await connection.execute('begin immediate', []);
      return;
    } catch (error) {
      const busy = error instanceof StoreUnavailableError && error.fault === 'busy';
      if (!busy || waitedMs >= limits.lockWaitMs) throw error;
      await sleep(limits.lockRetryMs);
    }
  }
}
