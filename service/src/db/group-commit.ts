import { commitGroup, type CommitGroupParts, type Outcome } from './commit-group.ts';
import type { Tx } from './statement.ts';
import { StoreUnavailableError } from './store-unavailable-error.ts';

/**
 * Gathers the operations of many callers into groups, so that durability costs one sync a group and not one
 * an operation.
 *
 * Operations that arrive in the same turn of the event loop, or while the group before is being committed, form
 * a group and run side by side. A caller is answered only after COMMIT. An operation that refuses says so as a
 * value and has written nothing; one that throws is undone alone (see commit-group.ts). So an operation may run
 * twice, must do nothing but use its `tx`, and must be right when others' statements come between its own.
 */
type GroupCommit = {
  write: <T>(operation: (tx: Tx) => Promise<T>) => Promise<T>;
  /** How long the first who waits has been waiting. */
  waitMs: () => number;
  /** Commits what is waiting, then refuses what comes later. */
  close: () => Promise<void>;
};

type GroupCommitParts = {
  connection: CommitGroupParts['connection'];
  tx: Tx;
  limits: CommitGroupParts['limits'] & { operationsInGroup: number; operationsWaiting: number };
};

/** A busy service gathers for so many turns of the event loop; an idle one for one. */
const turnsGathered = 4;

type Waiting = {
  since: number;
  run: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

export function createGroupCommit(parts: GroupCommitParts): GroupCommit {
  const { tx, limits } = parts;
  const waiting: Waiting[] = [];
  let working: Promise<void> | undefined;
  let closed = false;

  async function work(): Promise<void> {
    do {
      await gather();
      await commit(waiting.splice(0, limits.operationsInGroup));
    } while (waiting.length > 0);
    working = undefined;
  }

  /** After this turn's arrivals: they share one commit. While every turn brings more, a few turns share one. */
  async function gather(): Promise<void> {
    for (let turns = 0, before = 0; turns < turnsGathered && waiting.length > before; turns += 1) {
      before = waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function commit(group: Waiting[]): Promise<void> {
    try {
      const outcomes = await commitGroup(
        group.map((member) => member.run),
        parts,
      );
      group.forEach((member, index) => answer(member, outcomes[index]));
    } catch (error) {
      for (const member of group) member.reject(error);
    }
  }

  return {
    write: <T>(operation: (tx: Tx) => Promise<T>) => {
      if (closed) return Promise.reject(new StoreUnavailableError('closed'));
      if (waiting.length >= limits.operationsWaiting)
        return Promise.reject(new StoreUnavailableError('overloaded'));
      const answered = new Promise<T>((resolve, reject) => {
        // The value is the operation's own; the queue only carries it.
        const run = () => operation(tx);
        waiting.push({ since: performance.now(), run, resolve: (value) => resolve(value as T), reject });
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

function answer(member: Waiting, outcome: Outcome | undefined): void {
  if (outcome?.kind === 'done') member.resolve(outcome.value);
  else member.reject(outcome?.error);
}
