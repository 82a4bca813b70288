import type { Clock, Patience } from '@mailproof/engine';

/**
 * How many verifications run at once in this process, and whose turn it is.
 *
 * Singles go before bulk, because somebody waits for them. No account takes more than its share, and among
 * the accounts that wait each gets a slot in turn, so that one account's thousand slow addresses cost another
 * account nothing but its share (threats D5). Bulk leaves a few slots that only singles take.
 */
export type Slots = {
  take: (request: SlotRequest) => Promise<Slot>;
};

export type SlotRequest = { accountId: string; rank: Rank; patience: Patience };

export type Slot = { kind: 'taken'; release: () => void } | { kind: 'timeout' };

export type SlotLimits = { total: number; perAccount: number; bulk: number };

type Rank = 'single' | 'bulk';

type Waiter = { accountId: string; rank: Rank; grant: () => void };

/** The shares of a process that runs `total` verifications at once. */
export function slotLimits(total: number): SlotLimits {
  return {
    total,
    perAccount: Math.max(1, Math.floor(total * 0.2)),
    bulk: Math.max(1, Math.floor(total * 0.9)),
  };
}

export function createSlots({ clock, limits }: { clock: Clock; limits: SlotLimits }): Slots {
  const taken = new Map<string, number>();
  const inUse = { single: 0, bulk: 0 };
  const queues = { single: createTurns(), bulk: createTurns() };
  const hasShare = (accountId: string) => (taken.get(accountId) ?? 0) < limits.perAccount;

  function next(): Waiter | undefined {
    if (inUse.single + inUse.bulk >= limits.total) return undefined;
    const single = queues.single.take(hasShare);
    if (single !== undefined || inUse.bulk >= limits.bulk) return single;
    return queues.bulk.take(hasShare);
  }

  function serve(): void {
    for (let waiter = next(); waiter !== undefined; waiter = next()) {
      taken.set(waiter.accountId, (taken.get(waiter.accountId) ?? 0) + 1);
      inUse[waiter.rank] += 1;
      waiter.grant();
    }
  }

  function giveBack({ accountId, rank }: Waiter): void {
    inUse[rank] -= 1;
    const left = (taken.get(accountId) ?? 0) - 1;
    if (left > 0) taken.set(accountId, left);
    else taken.delete(accountId);
    serve();
  }

  function take({ accountId, rank, patience: { deadline, signal } }: SlotRequest): Promise<Slot> {
    if (signal.aborted) return Promise.reject(asError(signal.reason));
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        accountId,
        rank,
        grant: () => {
          stopWaiting();
          resolve({ kind: 'taken', release: once(() => giveBack(waiter)) });
        },
      };
      const leave = () => {
        stopWaiting();
        queues[rank].remove(waiter);
      };
      const cancelTimer = clock.after(deadline - clock.now(), () => {
        leave();
        resolve({ kind: 'timeout' });
      });
      const onAbort = () => {
        leave();
        reject(asError(signal.reason));
      };
      const stopWaiting = () => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queues[rank].add(waiter);
      serve();
    });
  }

  return { take };
}

/** Those who wait, account by account in turn. */
function createTurns() {
  const waiting = new Map<string, Set<Waiter>>();

  function remove(waiter: Waiter): void {
    const ofAccount = waiting.get(waiter.accountId);
    ofAccount?.delete(waiter);
    if (ofAccount?.size === 0) waiting.delete(waiter.accountId);
  }

  return {
    add: (waiter: Waiter): void => {
      const ofAccount = waiting.get(waiter.accountId) ?? new Set();
      ofAccount.add(waiter);
      waiting.set(waiter.accountId, ofAccount);
    },
    remove,
    /** The first of the next account that may have one; that account then stands last. */
    take: (mayHave: (accountId: string) => boolean): Waiter | undefined => {
      for (const [accountId, ofAccount] of waiting) {
        const [first] = ofAccount;
        if (first === undefined || !mayHave(accountId)) continue;
        waiting.delete(accountId);
        waiting.set(accountId, ofAccount);
        remove(first);
        return first;
      }
      return undefined;
    },
  };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
