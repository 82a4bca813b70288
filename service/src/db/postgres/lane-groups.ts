import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { asTx, type Compile } from '../as-tx.ts';
import { commitGroup, type Outcome } from '../commit-group.ts';
import type { Connection } from '../connection.ts';
import type { Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Lines } from './lines.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { PostgresLine } from './postgres-line.ts';

/**
 * Gathers the operations of many callers into transactions, lane by lane.
 *
 * A lane is an account: all that moves its credits runs in it, one transaction at a time over all processes, held
 * together by an advisory lock. So no two transactions ever want two accounts in different order, and the wait is in a queue
 * of ours and not on a row. Lanes run side by side, each transaction on a line of its own. What moves no credits has no lane;
 * each process runs it in one queue of its own, without a lock.
 *
 * As with SQLite, an operation that throws is undone alone, and may run twice. A transaction that the database undid
 * because of another (a deadlock, a serialization failure) is run again a few times.
 */
type LaneGroups = {
  write: <T>(operation: (tx: Tx) => Promise<T>, lane?: string) => Promise<T>;
  /** How long the one who has waited longest, in whichever lane, has been waiting. */
  waitMs: () => number;
  /** Commits what is waiting, then refuses what comes later. */
  close: () => Promise<void>;
};

type LaneGroupsParts = {
  lines: Lines;
  compile: Compile;
  limits: Pick<PostgresLimits, 'lanesAtOnce' | 'operationsInGroup' | 'operationsWaiting' | 'groupTries'>;
};

type Waiting = {
  since: number;
  run: (tx: Tx) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

export function createLaneGroups(parts: LaneGroupsParts): LaneGroups {
  const { limits } = parts;
  /** What waits in each lane; a lane that is being committed is not in `ready`. */
  const lanes = new Map<string | undefined, Waiting[]>();
  const ready: (string | undefined)[] = [];
  let active = 0;
  let waiting = 0;
  let closing: (() => void) | undefined;
  let closed = false;

  function startSome(): void {
    while (active < limits.lanesAtOnce && ready.length > 0) {
      active += 1;
      void commitNext(ready.shift()).finally(() => {
        active -= 1;
        startSome();
        if (lanes.size === 0) closing?.();
      });
    }
  }

  async function commitNext(lane: string | undefined): Promise<void> {
    // After this turn's arrivals: they share one commit.
    await new Promise((resolve) => setImmediate(resolve));
    const queue = lanes.get(lane) ?? [];
    const group = queue.splice(0, limits.operationsInGroup);
    waiting -= group.length;
    await answerGroup(group, lane, parts);
    if (queue.length === 0) lanes.delete(lane);
    else ready.push(lane);
  }

  function enqueue(member: Waiting, lane: string | undefined): void {
    waiting += 1;
    const queue = lanes.get(lane);
    if (queue !== undefined) {
      queue.push(member);
      return;
    }
    lanes.set(lane, [member]);
    ready.push(lane);
    startSome();
  }

  return {
    write: <T>(operation: (tx: Tx) => Promise<T>, lane?: string) => {
      if (closed) return Promise.reject(new StoreUnavailableError('closed'));
      if (waiting >= limits.operationsWaiting) return Promise.reject(new StoreUnavailableError('overloaded'));
      return new Promise<T>((resolve, reject) => {
        // The value is the operation's own; the queue only carries it.
        const since = performance.now();
        enqueue({ since, run: operation, resolve: (value) => resolve(value as T), reject }, lane);
      });
    },
    waitMs: () => {
      const now = performance.now();
      return Math.max(
        0,
        ...[...lanes.values()].map(([first]) => (first === undefined ? 0 : now - first.since)),
      );
    },
    close: async () => {
      closed = true;
      if (lanes.size > 0) await new Promise<void>((resolve) => (closing = resolve));
    },
  };
}

async function answerGroup(
  group: Waiting[],
  lane: string | undefined,
  parts: LaneGroupsParts,
): Promise<void> {
  try {
    const outcomes = await runGroup(group, lane, parts);
    group.forEach((member, index) => answer(member, outcomes[index]));
  } catch (error) {
    for (const member of group) member.reject(error);
  }
}

function answer(member: Waiting, outcome: Outcome | undefined): void {
  if (outcome?.kind === 'done') member.resolve(outcome.value);
  else member.reject(outcome?.error);
}

async function runGroup(
  group: Waiting[],
  lane: string | undefined,
  { lines, compile, limits }: LaneGroupsParts,
): Promise<Outcome[]> {
  for (let triesLeft = limits.groupTries; ;) {
    try {
      return await lines.borrow((line) => {
        const tx = asTx(line, compile);
        const operations = group.map((member) => () => member.run(tx));
        return commitGroup(operations, { connection: inLane(line, lane), limits: noWaiting });
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
 * where it fails, so does all that follows it (see postgres-line.ts).
 */
function inLane(line: PostgresLine, lane: string | undefined): Connection {
  const begin = async () => {
    const sent = [line.execute('begin read write', [])];
    if (lane !== undefined) {
      sent.push(line.execute('select pg_advisory_xact_lock($1::int, $2::int)', [laneLocks, lockOf(lane)]));
    }
    // Whoever uses the transaction hears of it.
    for (const answered of sent) answered.catch(() => undefined);
    return Promise.resolve({ rows: [], changes: 0 });
  };
  return {
    ...line,
    execute: (sql, values) => (sql === 'begin immediate' ? begin() : line.execute(sql, values)),
  };
}

/** Two lanes with the same number wait for each other now and then, and lose nothing else. */
function lockOf(lane: string): number {
  return createHash('sha256').update(lane).digest().readInt32BE();
}
