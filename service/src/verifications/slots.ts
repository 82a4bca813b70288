import type { Clock, Patience } from '@mailproof/engine';

/**
 * How many verifications run at once in this process, and whose turn it is.
 *
 * Singles go before bulk, because somebody waits for them. No account takes more than its share, and among
 * the accounts that wait each gets a slot in turn, so that one account's thousand slow addresses cost another
 * account nothing but its share. Bulk leaves a few slots that only singles take.
 */
export type Slots = {
  take: (request: SlotRequest) => Promise<Slot>;
};

export type SlotRequest = { accountId: string; rank: Rank; patience: Patience };

export type Slot = { kind: 'taken'; release: () => void } | { kind: 'timeout' };

export type SlotLimits = { total: number; perAccount: number; bulk: number };

type Rank = 'single' | 'bulk';

type Waiter = { accountId: string; grant: (slot: Slot) => void };

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
  const hasRoom = (rank: Rank) =>
    inUse.single + inUse.bulk < limits.total && (rank === 'single' || inUse.bulk < limits.bulk);

  function occupy(accountId: string, rank: Rank): Slot {
    taken.set(accountId, (taken.get(accountId) ?? 0) + 1);
    inUse[rank] += 1;
    return { kind: 'taken', release: once(() => vacate(accountId, rank)) };
  }

  function vacate(accountId: string, rank: Rank): void {
    inUse[rank] -= 1;
    const left = (taken.get(accountId) ?? 0) - 1;
    if (left > 0) taken.set(accountId, left);
    else taken.delete(accountId);
    serve();
  }

  /** After this nobody waits who might have a slot. */
  function serve(): void {
    for (const rank of ['single', 'bulk'] as const) {
      while (hasRoom(rank)) {
        const waiter = queues[rank].take(hasShare);
        if (waiter === undefined) break;
        waiter.grant(occupy(waiter.accountId, rank));
      }
    }
  }

  function take({ accountId, rank, patience }: SlotRequest): Promise<Slot> {
    if (patience.signal.aborted) return Promise.reject(asError(patience.signal.reason));
    // Those who wait could not have this one, so nobody is passed over.
    if (hasRoom(rank) && hasShare(accountId)) return Promise.resolve(occupy(accountId, rank));
    return waitInTurn(accountId, queues[rank], { clock, ...patience });
  }

  return { take };
}

function waitInTurn(accountId: string, turns: Turns, patience: Patience & { clock: Clock }): Promise<Slot> {
  const { clock, deadline, signal } = patience;
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      accountId,
      grant: (slot) => {
        stopWaiting();
        resolve(slot);
      },
    };
    const cancelTimer = clock.after(deadline - clock.now(), () => {
      stopWaiting();
      resolve({ kind: 'timeout' });
    });
    const onAbort = () => {
      stopWaiting();
      reject(asError(signal.reason));
    };
    const stopWaiting = () => {
      turns.remove(waiter);
      cancelTimer();
      signal.removeEventListener('abort', onAbort);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    turns.add(waiter);
  });
}

type Turns = ReturnType<typeof createTurns>;

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
