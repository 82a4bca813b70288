import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { asTx, type Compile } from '../as-tx.ts';
import { commitGroup, type Outcome } from '../commit-group.ts';
import type { Connection } from '../connection.ts';
import type { Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { tooLate, type GroupTime } from './group-time.ts';
import { limitWaiting } from './limit-waiting.ts';
import type { Lines } from './lines.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { PostgresLine } from './postgres-line.ts';

export type RunGroupParts = {
  lines: Lines;
  compile: Compile;
  /** The account it moves credits of, if it does. */
  lane: string | undefined;
  time: GroupTime;
  limits: Pick<PostgresLimits, 'groupTries' | 'requestLockMs'>;
};

/** Runs operations in one transaction of their lane, and again where another transaction made the database undo it. */
export async function runGroup(
  operations: ((tx: Tx) => Promise<unknown>)[],
  parts: RunGroupParts,
): Promise<Outcome[]> {
  for (let triesLeft = parts.limits.groupTries; ;) {
    try {
      return await parts.lines.borrow((line) => {
        const connection = inLane(line, parts);
        const tx = asTx(connection, parts.compile);
        const bound = operations.map((operation) => () => operation(tx));
        return commitGroup(bound, { connection, limits: noWaiting });
      });
    } catch (error) {
      triesLeft -= 1;
      const undone = error instanceof StoreUnavailableError && error.fault === 'conflict';
      if (!undone || triesLeft === 0) throw error;
      // Not in step with whom we lost against.
      await sleep(Math.random() * 20);
    }
  }
}

/** Locks are waited for on the server, up to its own limit. */
const noWaiting = { lockWaitMs: 0, lockRetryMs: 1 };

const laneLocks = 0x6d70_0001;

/**
 * The line, with the beginning of a transaction in the words of PostgreSQL. It is sent without waiting for its answer:
 * where it fails, so does all that follows it (see postgres-line.ts). Once the time is over, the server itself breaks off what
 * it is doing, and we send nothing but the rollback.
 */
function inLane(line: PostgresLine, { lane, time, limits }: RunGroupParts): Connection {
  const begin = () => {
    const sent = [line.execute('begin read write', [])];
    const leftMs = time.leftMs();
    if (leftMs !== Infinity) {
      // Nothing would mean no limit at all.
      const statementMs = Math.max(1, Math.ceil(leftMs));
      const lockMs = Math.min(limits.requestLockMs, statementMs);
      sent.push(limitWaiting(line, { lockMs, statementMs }, 'transaction'));
    }
    if (lane !== undefined) {
      sent.push(line.execute('select pg_advisory_xact_lock($1::int, $2::int)', [laneLocks, lockOf(lane)]));
    }
    // Whoever uses the transaction hears of it.
    for (const answered of sent) answered.catch(() => undefined);
    return Promise.resolve({ rows: [], changes: 0 });
  };
  return {
    ...line,
    execute: (sql, values) => {
      if (sql === 'rollback') return line.execute(sql, values);
      if (time.isOver()) return Promise.reject(tooLate());
      if (sql === 'begin immediate') return begin();
      if (sql === 'commit') time.noteCommit();
      return line.execute(sql, values);
    },
  };
}

/** Two lanes with the same number wait for each other now and then, and lose nothing else. */
function lockOf(lane: string): number {
  return createHash('sha256').update(lane).digest().readInt32BE();
}
