import type { Outcome } from '../commit-group.ts';
import type { Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Deadlines } from './deadlines.ts';
import { createGroupSize } from './group-size.ts';
import { createGroupTime, tooLate } from './group-time.ts';
import { createLane, type Lane, type Waiting } from './lane.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import { runGroup, type RunGroupParts } from './run-group.ts';

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
 *
 * What requests wait for has transactions of its own, which end when the first of its requests will wait no longer. Where one
 * ends because of a lock or because it took too long, all that waits in its lane is refused with it.
 */
type LaneGroups = {
  write: <T>(operation: (tx: Tx) => Promise<T>, asked?: Asked) => Promise<T>;
  /** How long the one who has waited longest has been waiting, where it tells something of the load of the database. */
  waitMs: () => number;
  /** Commits what is waiting, then refuses what comes later. */
  close: () => Promise<void>;
};

type Asked = {
  lane?: string | undefined;
  /** When whoever waits for it has to be answered; without it, whenever it is done. */
  until?: number;
};

type LaneGroupsParts = Pick<RunGroupParts, 'lines' | 'compile'> & {
  deadlines: Deadlines;
  limits: RunGroupParts['limits'] &
    Pick<
      PostgresLimits,
      'lanesAtOnce' | 'operationsInGroup' | 'operationsWaiting' | 'commitMs' | 'requestGroupMs'
    >;
};

export function createLaneGroups(parts: LaneGroupsParts): LaneGroups {
  const { limits } = parts;
  /** Those in which something waits or is being committed; what is being committed is not in `ready`. */
  const lanes = new Map<string, Lane>();
  const ready: string[] = [];
  const sizes = {
    request: createGroupSize({ most: limits.operationsInGroup, longMs: limits.requestGroupMs }),
    work: createGroupSize({ most: limits.operationsInGroup, longMs: Infinity }),
  };
  let active = 0;
  let waiting = 0;
  let closing: (() => void) | undefined;
  let closed = false;

  function startSome(): void {
    while (active < limits.lanesAtOnce) {
      const key = ready.shift();
      const lane = key === undefined ? undefined : lanes.get(key);
      if (key === undefined || lane === undefined) return;
      active += 1;
      void commitNext(lane).finally(() => {
        active -= 1;
        if (lane.size() === 0) lanes.delete(key);
        else ready.push(key);
        startSome();
        if (lanes.size === 0) closing?.();
      });
    }
  }

  async function commitNext(lane: Lane): Promise<void> {
    // After this turn's arrivals: they share one commit.
    await new Promise((resolve) => setImmediate(resolve));
    const group = lane.take(sizes[lane.kind].now());
    if (group.length === 0) return;
    const startedAt = performance.now();
    await answerGroup(group, { ...parts, lane });
    sizes[lane.kind].note(performance.now() - startedAt);
  }

  function enqueue(member: Waiting, name: string | undefined): void {
    const kind = member.until === Infinity ? 'work' : 'request';
    const key = `${kind} ${name ?? ''}`;
    const known = lanes.get(key);
    const lane = known ?? createLane({ name, kind }, { ...parts, onCount: (more) => (waiting += more) });
    lane.push(member);
    if (known !== undefined) return;
    lanes.set(key, lane);
    ready.push(key);
    startSome();
  }

  return {
    write: <T>(operation: (tx: Tx) => Promise<T>, { lane, until = Infinity }: Asked = {}) => {
      if (closed) return Promise.reject(new StoreUnavailableError('closed'));
      if (waiting >= limits.operationsWaiting) return Promise.reject(new StoreUnavailableError('overloaded'));
      return new Promise<T>((resolve, reject) => {
        // The value is the operation's own; the queue only carries it.
        const answer = (value: unknown) => resolve(value as T);
        enqueue({ since: performance.now(), until, run: operation, resolve: answer, reject }, lane);
      });
    },
    waitMs: () => Math.max(0, ...[...lanes.values()].filter(tellsOfLoad).map((lane) => lane.waitMs())),
    close: async () => {
      closed = true;
      if (lanes.size > 0) await new Promise<void>((resolve) => (closing = resolve));
    },
  };
}

/** The service's own work for one account may wait for a lock on it, which is no matter of the others. */
function tellsOfLoad({ kind, name }: Lane): boolean {
  return kind === 'request' || name === undefined;
}

async function answerGroup(group: Waiting[], parts: LaneGroupsParts & { lane: Lane }): Promise<void> {
  const { lane } = parts;
  const until = Math.min(...group.map((member) => member.until));
  let told = false;
  const refuse = (error: unknown) => {
    if (told) return;
    told = true;
    for (const member of group) member.reject(error);
    // A lock or a slow database: those behind would fare no better.
    if (lane.kind === 'request' && isHeldUp(error))
      for (const member of lane.take(Infinity)) member.reject(error);
  };
  const time = createGroupTime(until, { ...parts, onLate: () => refuse(tooLate()) });
  try {
    const outcomes = await runGroup(
      group.map((member) => member.run),
      { ...parts, lane: lane.name, time },
    );
    group.forEach((member, index) => answer(member, outcomes[index]));
  } catch (error) {
    refuse(error);
  } finally {
    time.end();
  }
}

function isHeldUp(error: unknown): boolean {
  return error instanceof StoreUnavailableError && (error.fault === 'busy' || error.fault === 'slow');
}

function answer(member: Waiting, outcome: Outcome | undefined): void {
  if (outcome?.kind === 'done') member.resolve(outcome.value);
  else member.reject(outcome?.error);
}
