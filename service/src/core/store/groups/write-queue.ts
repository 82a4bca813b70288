import type { Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { answerWrites, commitGroup, type CommitGroupParts, type PendingWrite } from './commit-group.ts';
import { timeGroup, type OnGroup } from './time-group.ts';

/**
 * Gathers the operations of many callers into groups, so that durability costs one sync a group and not one
 * an operation.
 *
 * Operations that arrive in the same round of the event loop, or while the group before is being committed, form
 * a group and run side by side. A caller is answered only after COMMIT. An operation that refuses says so as a
 * value and has written nothing; one that throws is undone alone (see commit-group.ts). So an operation may run
 * twice, must do nothing but use its `tx`, and must be right when others' statements come between its own.
 */
type WriteQueue = {
  write: <T>(operation: (tx: Tx) => Promise<T>) => Promise<T>;
  /** How long the first who waits has been waiting. */
  waitMs: () => number;
  /** Commits what is waiting, then refuses what comes later. */
  close: () => Promise<void>;
};

type WriteQueueParts = CommitGroupParts & {
  limits: { operationsInGroup: number; operationsWaiting: number };
  onGroup?: OnGroup | undefined;
};

/** A busy service gathers for so many rounds of the event loop; an idle one for one. */
const roundsGathered = 4;

export function createWriteQueue(parts: WriteQueueParts): WriteQueue {
  const { limits } = parts;
  const waiting: PendingWrite[] = [];
  let working: Promise<void> | undefined;
  let closed = false;

  async function work(): Promise<void> {
    do {
      await gather();
      await commit(waiting.splice(0, limits.operationsInGroup));
    } while (waiting.length > 0);
    working = undefined;
  }

  /** What arrives in this round of the event loop shares a commit. While every round brings more, a few share one. */
  async function gather(): Promise<void> {
    for (let rounds = 0, before = 0; rounds < roundsGathered && waiting.length > before; rounds += 1) {
      before = waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function commit(group: PendingWrite[]): Promise<void> {
    try {
      const operations = group.map(({ run }) => run);
      const outcomes = await timeGroup(group.length, () => commitGroup(operations, parts), parts.onGroup);
      answerWrites(group, outcomes);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  return {
    write: <T>(operation: (tx: Tx) => Promise<T>) => {
      if (closed) return Promise.reject(new StoreUnavailableError('closed'));
      if (waiting.length >= limits.operationsWaiting)
        return Promise.reject(new StoreUnavailableError('overloaded'));
      const answered = new Promise<T>((resolve, reject) => {
        // The value is the operation's own; the queue only carries it.
        const answer = (value: unknown) => resolve(value as T);
        waiting.push({ since: performance.now(), until: Infinity, run: operation, resolve: answer, reject });
      });
      working ??= work();
      return answered;
    },
    waitMs: () => (waiting[0] === undefined ? 0 : performance.now() - waiting[0].since),
    close: async () => {
      closed = true;
      await working;
    },
  };
}
