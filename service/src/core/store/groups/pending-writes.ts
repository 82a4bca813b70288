import type { PendingWrite } from './commit-group.ts';
import type { Deadlines } from './deadlines.ts';
import { tooLate } from './group-deadline.ts';

/** The traits that these writes share: their serial key, if any, and whether requests or the service itself wait. */
type WritesInCommon = {
  serialKey: string | undefined;
  asker: WriteAsker;
  kind: WriteKind;
};

/** `ending`: a request whose mail host has answered. It shares no transaction with requests that begin. */
export type WriteAsker = 'request' | 'ending' | 'service';

/**
 * `repeatable` and `brief` writes are done again if they are lost (see `Store.writeRepeatable` and
 * `Store.writeBriefly`).
 */
export type WriteKind = 'durable' | 'repeatable' | 'brief';

/** Writes that wait for the next transaction of their kind. A request past its deadline is refused and removed. */
export type PendingWrites = WritesInCommon & {
  push: (write: PendingWrite) => void;
  /** Removes and returns the first writes, at most `most`. */
  take: (most: number) => PendingWrite[];
  size: () => number;
  /** How long the first write has been waiting; 0 if the queue is empty. */
  waitMs: () => number;
};

type PendingWritesParts = {
  deadlines: Deadlines;
  limits: { commitMs: number };
  /** Called with the change in the number of waiting writes. */
  onCount: (more: number) => void;
};

export function createPendingWrites(
  common: WritesInCommon,
  { deadlines, limits, onCount }: PendingWritesParts,
): PendingWrites {
  /** Each write with the function that ends its deadline. */
  const queue = new Map<PendingWrite, () => void>();

  /** Removes the write early enough to leave time for the statements and the commit. */
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
