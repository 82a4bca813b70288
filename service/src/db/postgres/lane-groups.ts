import type { Outcome } from '../commit-group.ts';
import type { Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Deadlines } from './deadlines.ts';
import { createGroupTime, tooLate } from './group-time.ts';
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
  /** How long the one who has waited longest, in whichever lane, has been waiting. */
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
    Pick<PostgresLimits, 'lanesAtOnce' | 'operationsInGroup' | 'operationsWaiting' | 'commitMs'>;
};

type Waiting = {
  since: number;
  until: number;
  run: (tx: Tx) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  /** Ends its wait in the queue. */
  leaveQueue: () => void;
};

/** What waits for one account's turn, be it of requests or of the service itself. */
type Lane = { key: string; name: string | undefined; queue: Waiting[] };

export function createLaneGroups(parts: LaneGroupsParts): LaneGroups {
  const { limits, deadlines } = parts;
  /** Those in which something waits or is being committed; what is being committed is not in `ready`. */
  const lanes = new Map<string, Lane>();
  const ready: Lane[] = [];
  let active = 0;
  let waiting = 0;
  let closing: (() => void) | undefined;
  let closed = false;

  function startSome(): void {
    for (let lane; active < limits.lanesAtOnce && (lane = ready.shift()) !== undefined;) {
      active += 1;
      void commitNext(lane).finally(() => {
        active -= 1;
        startSome();
        if (lanes.size === 0) closing?.();
      });
    }
  }

  async function commitNext(lane: Lane): Promise<void> {
    // After this turn's arrivals: they share one commit.
    await new Promise((resolve) => setImmediate(resolve));
    const group = take(lane, limits.operationsInGroup);
    const onHeldUp = (error: unknown) => {
      for (const member of take(lane, Infinity)) member.reject(error);
    };
    if (group.length > 0) await answerGroup(group, { ...parts, lane: lane.name, onHeldUp });
    if (lane.queue.length === 0) lanes.delete(lane.key);
    else ready.push(lane);
  }

  function take({ queue }: Lane, most: number): Waiting[] {
    const taken = queue.splice(0, most);
    waiting -= taken.length;
    for (const member of taken) member.leaveQueue();
    return taken;
  }

  function enqueue(member: Waiting, name: string | undefined): void {
    const key = `${member.until === Infinity ? 'work' : 'request'} ${name ?? ''}`;
    const lane = lanes.get(key) ?? { key, name, queue: [] };
    waiting += 1;
    lane.queue.push(member);
    if (member.until !== Infinity) leaveInTime(member, lane);
    if (lanes.has(key)) return;
    lanes.set(key, lane);
    ready.push(lane);
    startSome();
  }

  /** There has to be time left for the statements and for the commit. */
  function leaveInTime(member: Waiting, { queue }: Lane): void {
    member.leaveQueue = deadlines.add(member.until - 2 * limits.commitMs, () => {
      queue.splice(queue.indexOf(member), 1);
      waiting -= 1;
      member.reject(tooLate());
    });
  }

  return {
    write: <T>(operation: (tx: Tx) => Promise<T>, { lane, until = Infinity }: Asked = {}) => {
      if (closed) return Promise.reject(new StoreUnavailableError('closed'));
      if (waiting >= limits.operationsWaiting) return Promise.reject(new StoreUnavailableError('overloaded'));
      return new Promise<T>((resolve, reject) => {
        const since = performance.now();
        const leaveQueue = () => undefined;
        // The value is the operation's own; the queue only carries it.
        const answer = (value: unknown) => resolve(value as T);
        enqueue({ since, until, run: operation, resolve: answer, reject, leaveQueue }, lane);
      });
    },
    waitMs: () => longestWaitMs([...lanes.values()]),
    close: async () => {
      closed = true;
      if (lanes.size > 0) await new Promise<void>((resolve) => (closing = resolve));
    },
  };
}

function longestWaitMs(lanes: Lane[]): number {
  const now = performance.now();
  return Math.max(0, ...lanes.map(({ queue: [first] }) => (first === undefined ? 0 : now - first.since)));
}

type AnswerParts = LaneGroupsParts & {
  lane: string | undefined;
  /** A lock or a slow database made a group of requests fail: those behind it would fare no better. */
  onHeldUp: (error: unknown) => void;
};

async function answerGroup(group: Waiting[], parts: AnswerParts): Promise<void> {
  const until = Math.min(...group.map((member) => member.until));
  const refuse = (error: unknown) => {
    for (const member of group) member.reject(error);
    if (until !== Infinity && isHeldUp(error)) parts.onHeldUp(error);
  };
  const time = createGroupTime(until, { ...parts, onLate: () => refuse(tooLate()) });
  try {
    const outcomes = await runGroup(
      group.map((member) => member.run),
      { ...parts, time },
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
