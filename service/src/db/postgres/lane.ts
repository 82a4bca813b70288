import type { Tx } from '../statement.ts';
import type { Deadlines } from './deadlines.ts';
import { tooLate } from './group-time.ts';
import type { PostgresLimits } from './postgres-limits.ts';

/** An operation, and who waits for it. */
export type Waiting = {
  since: number;
  /** When whoever waits has to be answered; infinite where it is the service itself. */
  until: number;
  run: (tx: Tx) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** The account, if there is one, and whether requests wait in it or the service itself. */
type LaneName = { name: string | undefined; kind: 'request' | 'work' };

/** What waits for one account's turn, be it of requests or of the service itself. A request whose time is over leaves refused. */
export type Lane = LaneName & {
  push: (member: Waiting) => void;
  /** The first ones, and no more than so many. */
  take: (most: number) => Waiting[];
  size: () => number;
  /** How long the first has been waiting; 0 where nobody is. */
  waitMs: () => number;
};

type LaneParts = {
  deadlines: Deadlines;
  limits: Pick<PostgresLimits, 'commitMs'>;
  /** How many more wait than before. */
  onCount: (more: number) => void;
};

export function createLane(name: LaneName, { deadlines, limits, onCount }: LaneParts): Lane {
  /** Each with what ends its deadline. */
  const queue = new Map<Waiting, () => void>();

  /** There has to be time left for the statements and for the commit. */
  function leaveInTime(member: Waiting): () => void {
    if (member.until === Infinity) return () => undefined;
    return deadlines.add(member.until - 2 * limits.commitMs, () => {
      queue.delete(member);
      onCount(-1);
      member.reject(tooLate());
    });
  }

  return {
    ...name,
    push: (member) => {
      queue.set(member, leaveInTime(member));
      onCount(1);
    },
    take: (most) => {
      const taken: Waiting[] = [];
      for (const [member, forget] of queue) {
        if (taken.length >= most) break;
        forget();
        queue.delete(member);
        taken.push(member);
      }
      onCount(-taken.length);
      return taken;
    },
    size: () => queue.size,
    waitMs: () => {
      const [first] = queue.keys();
      return first === undefined ? 0 : performance.now() - first.since;
    },
  };
}
