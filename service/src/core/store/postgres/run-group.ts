import { createHash } from 'node:crypto';
import type { Compile } from '../compile-statement.ts';
import type { Connection } from '../connection.ts';
import { commitGroup, type WriteOutcome } from '../groups/commit-group.ts';
import { tooLate, type GroupDeadline } from '../groups/group-deadline.ts';
import type { WriteAsker, WriteKind } from '../groups/pending-writes.ts';
import type { ConnectionPool } from '../pool/connection-pool.ts';
import { repeatUndone } from '../repeat-undone.ts';
import type { Listener, Tx } from '../statement.ts';
import { limitWaiting, type PostgresConnection } from './postgres-connection.ts';
import type { PostgresLimits } from './postgres-limits.ts';

type RunGroupParts = {
  pool: ConnectionPool<PostgresConnection>;
  compile: Compile;
  listeners: readonly Listener[];
  /** The key that all operations of the group have, if they have one. */
  serialKey: string | undefined;
  asker: WriteAsker;
  kind: WriteKind;
  deadline: GroupDeadline;
  limits: Pick<PostgresLimits, 'groupTries' | 'lockMs' | 'requestLockMs' | 'briefStatementMs'>;
};

/** Runs operations in one transaction of their key, and again where another transaction made the database undo it. */
export async function runGroup(
  operations: ((tx: Tx) => Promise<unknown>)[],
  parts: RunGroupParts,
): Promise<WriteOutcome[]> {
  return repeatUndone(
    () =>
      parts.pool.borrow((connection) =>
        commitGroup(operations, { ...parts, connection: serialised(connection, parts), limits: noWaiting }),
      ),
    parts.limits.groupTries,
  );
}

/** Locks are waited for on the server, up to its own limit. */
const noWaiting = { lockWaitMs: 0, lockRetryMs: 1 };

const serialLocks = 0x6d70_0001;

/**
 * The connection, with the beginning of a transaction in the words of PostgreSQL: under the lock of its key. It is sent
 * without waiting for its answer: where it fails, so does all that follows it (see postgres-connection.ts). Once the time
 * is over, the server itself breaks off what it is doing, and we send nothing but the rollback.
 */
function serialised(
  connection: PostgresConnection,
  { serialKey, asker, kind, deadline, limits }: RunGroupParts,
): Connection {
  /** Of a brief one: when it is too late for a statement. Its time begins with its lock, for which others do not wait. */
  let until = Infinity;
  const limitTime = async () => {
    const statementMs = limits.briefStatementMs;
    // Together, since a slice of erasing is no longer than a few such statements.
    const settings = `set_config('synchronous_commit', 'off', true), set_config('statement_timeout', $1, true)`;
    await connection.execute(`select ${settings}`, [String(statementMs)]);
    until = performance.now() + statementMs;
  };
  const begin = () => {
    until = Infinity;
    const sent: Promise<unknown>[] = [connection.execute('begin read write', [])];
    const leftMs = deadline.leftMs();
    if (leftMs !== Infinity) {
      // Nothing would mean no limit at all.
      const statementMs = Math.max(1, Math.ceil(leftMs));
      const longestMs = asker === 'ending' ? limits.lockMs : limits.requestLockMs;
      const lockMs = Math.min(longestMs, statementMs);
      sent.push(limitWaiting(connection, { lockMs, statementMs }, 'transaction'));
    }
    if (kind === 'repeatable') sent.push(connection.execute('set local synchronous_commit = off', []));
    if (serialKey !== undefined) {
      const lock = [serialLocks, lockOf(serialKey)];
      sent.push(connection.execute('select pg_advisory_xact_lock($1::int, $2::int)', lock));
    }
    if (kind === 'brief') sent.push(limitTime());
    // Whoever uses the transaction hears of it.
    for (const answered of sent) answered.catch(() => undefined);
    return Promise.resolve({ rows: [], changes: 0 });
  };
  return {
    ...connection,
    execute: (sql, values) => {
      if (sql === 'rollback') return connection.execute(sql, values);
      if (deadline.isOver()) return Promise.reject(tooLate());
      if (sql === 'begin immediate') return begin();
      if (sql === 'commit') deadline.noteCommit();
      else if (performance.now() >= until) return Promise.reject(tooLate());
      return connection.execute(sql, values);
    },
  };
}

/** Two keys with the same number wait for each other now and then, and lose nothing else. */
function lockOf(serialKey: string): number {
  return createHash('sha256').update(serialKey).digest().readInt32BE();
}
