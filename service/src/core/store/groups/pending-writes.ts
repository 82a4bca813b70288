import type { PendingWrite } from './commit-group.ts';
import type { Deadlines } from './deadlines.ts';
import { tooLate } from './group-deadline.ts';

/** What the writes have in common: their key, if they have one, and whether requests wait for them or the service itself. */
type WritesInCommon = {
  serialKey: string | undefined;
  asker: WriteAsker;
  kind: WriteKind;
};

/** `ending`: a request whose mail host has answered. It does not share its transactions with requests that begin. */
export type WriteAsker = 'request' | 'ending' | 'service';

/** What is `repeatable` or `brief` is done again if it is lost (see `Store.writeRepeatable` and `Store.writeBriefly`). */
export type WriteKind = 'durable' | 'repeatable' | 'brief';

/** What waits for the next transaction of its kind. A request whose time is over is refused and leaves. */
export type PendingWrites = WritesInCommon & {
  push: (write: PendingWrite) => void;
  /** The first ones, and no more than so many. */
  take: (most: number) => PendingWrite[];
  size: () => number;
  /** How long the first has been waiting; 0 where nobody is. */
  waitMs: () => number;
};

type PendingWritesParts = {
  deadlines: Deadlines;
  limits: { commitMs: number };
  /** How many more wait than before. */
  onCount: (more: number) => void;
};

export function createPendingWrites(
  common: WritesInCommon,
  { deadlines, limits, onCount }: PendingWritesParts,
): PendingWrites {
  /** Each with what ends its deadline. */
  const queue = new Map<PendingWrite, () => void>();

  /** There has to be time left for the statements and for the commit. */
  function leaveInTime(write: PendingWrite): () => void {
    if (write.until === Infinity) return () => undefined;
    return deadlines.add(write.until - 2 * limits.commitMs, () => {
      queue.delete(write);
      onCount(-1);
      write.reject(tooLate());
    });
  }

  return {
    ...common,
    push: (write) => {
      queue.set(write, leaveInTime(write));
      onCount(1);
    },
    take: (most) => {
      const taken: PendingWrite[] = [];
      for (const [write, forget] of queue) {
        if (taken.length >= most) break;
        forget();
        queue.delete(write);
        taken.push(write);
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
