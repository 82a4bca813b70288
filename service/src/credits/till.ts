import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import type { Tx } from '../db/statement.ts';
import { mostPayments, pay } from './pay.ts';
import { spend, type SpendAnswer } from './spend.ts';

/**
 * Where credits are spent by many at once. Those of one account who come before their transaction begins are paid for
 * together: so a busy account costs a few statements a commit, and not a few a request.
 */
export type Till = {
  /** Resolves once the credit is spent for good, or cannot be. */
  spend: (spending: { accountId: string; holdId: string }) => Promise<SpendAnswer>;
};

type Waiting = {
  holdId: string;
  resolve: (answer: SpendAnswer) => void;
  reject: (error: unknown) => void;
};

export function createTill({
  store,
  wallClock,
}: {
  store: Pick<Store, 'write'>;
  wallClock: WallClock;
}): Till {
  /** For each account those whose transaction has not begun. */
  const queues = new Map<string, Waiting[]>();

  function open(accountId: string): Waiting[] {
    const queue: Waiting[] = [];
    const close = () => {
      if (queues.get(accountId) === queue) queues.delete(accountId);
    };
    queues.set(accountId, queue);
    store
      .write((tx) => {
        // From here on nobody joins: should the operation run again, it spends the same.
        close();
        const holdIds = queue.map(({ holdId }) => holdId);
        return spendTogether(tx, { accountId, holdIds, now: wallClock.now() });
      }, accountId)
      .finally(close)
      .then(
        (answers) => answers.forEach((answer, place) => queue[place]?.resolve(answer)),
        (error: unknown) => queue.forEach(({ reject }) => reject(error)),
      );
    return queue;
  }

  return {
    spend: ({ accountId, holdId }) =>
      new Promise((resolve, reject) => {
        const queue = queues.get(accountId);
        const joined = queue !== undefined && queue.length < mostPayments ? queue : open(accountId);
        joined.push({ holdId, resolve, reject });
      }),
  };
}

type Spendings = { accountId: string; holdIds: string[]; now: number };

/** Where there is not enough for all, each tries for itself. */
async function spendTogether(tx: Tx, { accountId, holdIds, now }: Spendings): Promise<SpendAnswer[]> {
  if (await pay(tx, { accountId, holdIds, now })) return holdIds.map(() => ({ kind: 'spent' }));
  const answers: SpendAnswer[] = [];
  for (const holdId of holdIds) answers.push(await spend(tx, { accountId, holdId, now }));
  return answers;
}
