import { setTimeout as sleep } from 'node:timers/promises';
import type { Compile } from '../compile-statement.ts';
import type { Connection, QueryResult } from '../connection.ts';
import { createTx } from '../create-tx.ts';
import type { Listener, SqlValue, Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';

/** An operation of a caller, and how the caller is answered. */
export type PendingWrite = {
  since: number;
  /** When the caller has to be answered (of `performance.now`); infinite where it is the service itself. */
  until: number;
  run: Operation;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

type Operation = (tx: Tx) => Promise<unknown>;

/** How one operation of a group ended. */
export type WriteOutcome = { kind: 'done'; value: unknown } | { kind: 'threw'; error: unknown };

export type CommitGroupParts = {
  connection: Connection;
  compile: Compile;
  listeners: readonly Listener[];
  limits: { lockWaitMs: number; lockRetryMs: number };
};

/**
 * Runs operations side by side in one transaction and commits them. One that throws is undone alone: everything
 * is rolled back and run again, this time one after the other with a savepoint around each, so the usual case
 * pays for none. A store that fails undoes them all and throws.
 *
 * The transaction begins with the first statement. Operations that turn out to need none, such as those of a test key
 * that brings no idempotency key, cost the store nothing.
 */
export async function commitGroup(operations: Operation[], parts: CommitGroupParts): Promise<WriteOutcome[]> {
  const { connection } = parts;
  const transaction = openTransaction(parts);
  try {
    const together = await runTogether(operations, transaction);
    if (together !== undefined) return together;
    await transaction.end('rollback');
    const outcomes = await runOneByOne(operations, transaction);
    await transaction.end('commit');
    return outcomes;
  } catch (error) {
    // If even this fails, the next group's beginning tries again.
    if (connection.inTransaction()) await connection.execute('rollback', []).catch(() => undefined);
    throw error;
  }
}

export function answerWrites(group: PendingWrite[], outcomes: WriteOutcome[]): void {
  group.forEach((write, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind === 'done') write.resolve(outcome.value);
    else write.reject(outcome?.error);
  });
}

/**
 * All at once, and committed: their statements interleave, so that a group waits for the store as often as its longest
 * operation and not as often as all together. `undefined` if any operation threw; then nothing is committed.
 */
async function runTogether(
  operations: Operation[],
  transaction: Transaction,
): Promise<WriteOutcome[] | undefined> {
  const tx = transaction.openTx();
  const settled = await Promise.allSettled(operations.map((operation) => runOne(() => operation(tx))));
  // What an operation did not wait for is not run once it has ended.
  tx.end();
  const outcomes: WriteOutcome[] = [];
  for (const one of settled) {
    if (one.status === 'rejected') throw one.reason;
    outcomes.push(one.value);
  }
  const threw = outcomes.some(({ kind }) => kind === 'threw');
  return !threw && (await transaction.commitWhole(tx.sent)) ? outcomes : undefined;
}

async function runOneByOne(operations: Operation[], transaction: Transaction): Promise<WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for (const operation of operations) {
    await transaction.execute('savepoint operation', []);
    const tx = transaction.openTx();
    const outcome = await runOne(async () => {
      const value = await operation(tx);
      await Promise.all(tx.sent);
      return value;
    });
    tx.end();
    if (outcome.kind === 'threw') await transaction.execute('rollback to operation', []);
    await transaction.execute('release operation', []);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** A failing store concerns everybody and ends the group; any other throw is the operation's own. */
async function runOne(run: () => Promise<unknown>): Promise<WriteOutcome> {
  try {
    return { kind: 'done', value: await run() };
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    return { kind: 'threw', error };
  }
}

type Transaction = ReturnType<typeof openTransaction>;

function openTransaction(parts: CommitGroupParts) {
  const { connection } = parts;
  let beginning: Promise<void> | undefined;

  function execute(sql: string, values: SqlValue[]): Promise<QueryResult> {
    beginning ??= begin(parts);
    return beginning.then(() => connection.execute(sql, values));
  }

  async function end(how: 'commit' | 'rollback'): Promise<void> {
    if (beginning === undefined) return;
    await beginning;
    await connection.execute(how, []);
    beginning = undefined;
  }

  return {
    execute,
    end,
    openTx: () => createTx({ execute }, parts),
    /**
     * Commits, unless one of the statements fails whose answers nobody waited for: `false` then. Where the database can
     * be relied on to notice, the commit leaves together with the last of them. What failed before it was sent the
     * database never sees, but we know of it here.
     */
    async commitWhole(sent: Promise<unknown>[]): Promise<boolean> {
      const failures: unknown[] = [];
      const noteFailure = (answer: Promise<unknown>) =>
        answer.catch((error: unknown) => void failures.push(error));
      const answers = Promise.all(sent.map(noteFailure));
      await (connection.commitsOnlyWhole ? dueAnswers() : answers);
      if (failures.length === 0) await Promise.all([answers, noteFailure(end('commit'))]);
      const unavailable = failures.find((error) => error instanceof StoreUnavailableError);
      if (unavailable !== undefined) throw unavailable;
      return failures.length === 0;
    },
  };
}

/** After all answers that are there already: a tick from within a microtask comes after all microtasks. */
function dueAnswers(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
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
