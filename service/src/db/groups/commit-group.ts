import { setTimeout as sleep } from 'node:timers/promises';
import type { Compile } from '../compile-statement.ts';
import type { Connection, QueryResult } from '../connection.ts';
import { createTx } from '../create-tx.ts';
import type { SqlValue, Tx } from '../statement.ts';
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
  const { connection, compile } = parts;
  const transaction = openTransaction(parts);
  const tx = { compile, connection: { execute: transaction.execute } };
  try {
    let outcomes = await runTogether(operations, tx);
    if (outcomes === undefined) {
      await transaction.end('rollback');
      outcomes = await runOneByOne(operations, tx);
    }
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

type TxParts = { connection: Pick<Connection, 'execute'>; compile: Compile };

/** What an operation did not wait for is not run once it has ended. */
async function withTx<T>({ connection, compile }: TxParts, run: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = createTx(connection, compile);
  try {
    return await run(tx);
  } finally {
    tx.end();
  }
}

/**
 * All at once: their statements interleave, so that a group waits for the store as often as its longest operation
 * and not as often as all together. `undefined` if any operation threw.
 */
async function runTogether(operations: Operation[], parts: TxParts): Promise<WriteOutcome[] | undefined> {
  const settled = await withTx(parts, (tx) =>
    Promise.allSettled(operations.map((operation) => runOne(operation, tx))),
  );
  const outcomes: WriteOutcome[] = [];
  for (const one of settled) {
    if (one.status === 'rejected') throw one.reason;
    outcomes.push(one.value);
  }
  return outcomes.some(({ kind }) => kind === 'threw') ? undefined : outcomes;
}

async function runOneByOne(operations: Operation[], parts: TxParts): Promise<WriteOutcome[]> {
  const { connection } = parts;
  const outcomes: WriteOutcome[] = [];
  for (const operation of operations) {
    await connection.execute('savepoint operation', []);
    const outcome = await withTx(parts, (tx) => runOne(operation, tx));
    if (outcome.kind === 'threw') await connection.execute('rollback to operation', []);
    await connection.execute('release operation', []);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** A failing store concerns everybody and ends the group; any other throw is the operation's own. */
async function runOne(operation: Operation, tx: Tx): Promise<WriteOutcome> {
  try {
    return { kind: 'done', value: await operation(tx) };
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    return { kind: 'threw', error };
  }
}

function openTransaction(parts: CommitGroupParts) {
  const { connection } = parts;
  let beginning: Promise<void> | undefined;
  return {
    execute: (sql: string, values: SqlValue[]): Promise<QueryResult> => {
      beginning ??= begin(parts);
      return beginning.then(() => connection.execute(sql, values));
    },
    async end(how: 'commit' | 'rollback'): Promise<void> {
      if (beginning === undefined) return;
      await beginning;
      await connection.execute(how, []);
      beginning = undefined;
    },
  };
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
