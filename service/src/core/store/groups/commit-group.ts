import { setTimeout as sleep } from 'node:timers/promises';
import type { Compile } from '../compile-statement.ts';
import type { Connection, QueryResult } from '../connection.ts';
import { createTx } from '../create-tx.ts';
import type { Listener, SqlValue, Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';

/** An operation of a caller, with callbacks for the answer. */
export type PendingWrite = {
  since: number;
  /** When the caller needs an answer (of `performance.now`); infinite for the service's own work. */
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
 * Runs operations side by side in one transaction and commits them. An operation that throws is undone alone. To do
 * so, everything is rolled back and run again in sequence, with a savepoint around each. The usual case pays for no
 * savepoint. A store failure undoes them all and throws.
 *
 * The transaction begins with the first statement. Operations that need no statement cost the store nothing, such
 * as those of a test key without an idempotency key.
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
    // If this rollback fails, the next group tries again before it begins.
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
 * Runs all operations at once and commits them. Their statements interleave, so a group waits for the store as
 * often as its longest operation does. Returns `undefined` if any operation threw; then nothing is committed.
 */
async function runTogether(
  operations: Operation[],
  transaction: Transaction,
): Promise<WriteOutcome[] | undefined> {
  const tx = transaction.openTx();
  const settled = await Promise.allSettled(operations.map((operation) => runOne(() => operation(tx))));
  // Statements that an operation did not wait for must not run after the end.
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

/** Runs an operation. A store failure is thrown and ends the group; any other error is the operation's own outcome. */
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
     * Commits, or returns `false` if a statement failed that no operation waited for. If the database refuses to
     * commit after a failure, the commit is sent together with the last statements. A statement that failed before
     * it was sent is known here; the database never saw it.
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

/** Waits until all answers that have already arrived are handled: a tick from a microtask runs after all microtasks. */
function dueAnswers(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Begins the transaction. It polls for another process's lock, so that requests are read and refused meanwhile. */
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
