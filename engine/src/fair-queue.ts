import { createAlarm, type Clock } from './clock.ts';
import type { Patience, StopSignal } from './patience.ts';

/** The account that asks, and its urgency: a caller waits for a single verification, none for one of a list. */
export type Asker = { urgency: 'single' | 'bulk'; account: string };

/**
 * Items that wait for a scarce slot. Single verifications come first, because a caller waits for them. Among equals
 * the accounts are served in turn, so that one account's thousand cannot delay another's single one. Within an
 * account it is first come, first served.
 */
export type FairQueue<Item extends { asker: Asker }> = {
  add(item: Item): void;
  /** Does nothing if the item does not wait. */
  remove(item: Item): void;
  /** Takes the next item. An item that may not be served now keeps its place. */
  take(rule?: ServingRule): Item | undefined;
  /** The item that would be next if all may be served; it keeps its place. */
  first(): Item | undefined;
  size(): number;
};

/** The items that there is room for now, and the accounts that have not yet had their share. */
export type ServingRule = {
  hasRoom(urgency: Asker['urgency']): boolean;
  hasShare(account: string): boolean;
};

const serveAnybody: ServingRule = { hasRoom: () => true, hasShare: () => true };

const urgencies = ['single', 'bulk'] as const;

export function createFairQueue<Item extends { asker: Asker }>(): FairQueue<Item> {
  return new OrderedQueue<Item>();
}

/**
 * A class, since thousands of queues are made in a second, and a closure for each method would cost more than its
 * use.
 */
class OrderedQueue<Item extends { asker: Asker }> implements FairQueue<Item> {
  /** Most queues hold one item or none, and need no order. */
  private alone: Item | undefined;
  /**
   * The maps exist only while there are several items. Map and set keep the order of arrival, of accounts and within
   * an account.
   */
  private single: Map<string, Set<Item>> | undefined;
  private bulk: Map<string, Set<Item>> | undefined;
  private count = 0;

  size(): number {
    return this.count;
  }

  add(item: Item): void {
    if (this.count === 0) this.alone = item;
    else {
      if (this.alone !== undefined) this.line(this.alone);
      this.alone = undefined;
      this.line(item);
    }
    this.count += 1;
  }

  remove(item: Item): void {
    if (item === this.alone) {
      this.alone = undefined;
      this.count = 0;
      return;
    }
    const { urgency, account } = item.asker;
    const accounts = this[urgency];
    const items = accounts?.get(account);
    if (accounts === undefined || items?.delete(item) !== true) return;
    this.count -= 1;
    if (items.size === 0) accounts.delete(account);
    if (accounts.size === 0) this[urgency] = undefined;
  }

  take(rule: ServingRule = serveAnybody): Item | undefined {
    if (this.count === 0) return undefined;
    if (this.alone !== undefined) return this.takeAlone(this.alone, rule);
    for (const urgency of urgencies) {
      const accounts = this[urgency];
      const item =
        accounts !== undefined && rule.hasRoom(urgency) ? this.takeFrom(accounts, rule) : undefined;
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Puts an item behind the others of its account. */
  private line(item: Item): void {
    const { urgency, account } = item.asker;
    const accounts = (this[urgency] ??= new Map<string, Set<Item>>());
    const items = accounts.get(account);
    if (items === undefined) accounts.set(account, new Set([item]));
    else items.add(item);
  }

  private takeAlone(item: Item, rule: ServingRule): Item | undefined {
    if (!rule.hasRoom(item.asker.urgency) || !rule.hasShare(item.asker.account)) return undefined;
    this.remove(item);
    return item;
  }

  /** Takes the first of the next account that has a share left; that account is then the last to be served again. */
  private takeFrom(accounts: Map<string, Set<Item>>, rule: ServingRule): Item | undefined {
    for (const [account, items] of accounts) {
      const [first] = items;
      if (first === undefined || !rule.hasShare(account)) continue;
      accounts.delete(account);
      accounts.set(account, items);
      this.remove(first);
      return first;
    }
    return undefined;
  }

  first(): Item | undefined {
    if (this.alone !== undefined) return this.alone;
    const [items] = (this.single ?? this.bulk)?.values() ?? [];
    return items?.values().next().value;
  }
}

export type Slot = { kind: 'taken'; release: () => void } | { kind: 'timeout' };

/** Slots of which there is a limited number, handed out in the order of a fair queue. */
export type FairSlots = {
  /** Returns a slot if one is free now. */
  takeNow(asker: Asker): Slot | undefined;
  /**
   * Waits for a slot until the deadline. An abort rejects with the signal's reason. A slot is given back once,
   * however often it is released.
   */
  take(asker: Asker, patience: Patience): Promise<Slot>;
  /** Hands out the free slots. Needed only if room came from elsewhere than a released slot. */
  serve(): void;
};

type FairSlotParts = {
  clock: Clock;
  /** The rule sees the slots that are in use at that moment. */
  rule: ServingRule;
  /** Called before a slot is handed out, and after it came back. */
  onTaken(asker: Asker): void;
  onReleased(asker: Asker): void;
};

/** A caller that waits, until `dueAt` at the latest. */
type Waiter = {
  asker: Asker;
  dueAt: number;
  signal: StopSignal;
  resolve: (slot: Slot) => void;
  onAbort: () => void;
};

const timeout: Slot = { kind: 'timeout' };

export function createFairSlots(parts: FairSlotParts): FairSlots {
  const { clock, rule } = parts;
  const queue = createFairQueue<Waiter>();
  const alarm = createAlarm<Waiter>(clock, (waiter) => leaveWith(waiter, timeout));

  function occupy(asker: Asker): Slot {
    let isReleased = false;
    parts.onTaken(asker);
    return {
      kind: 'taken',
      release() {
        if (isReleased) return;
        isReleased = true;
        parts.onReleased(asker);
        serve();
      },
    };
  }

  /** Serves every waiter that may have a slot. */
  function serve(): void {
    for (let next = queue.take(rule); next !== undefined; next = queue.take(rule)) {
      leaveWith(next, occupy(next.asker));
    }
  }

  function leaveWith(waiter: Waiter, slot: Slot): void {
    stopWaiting(waiter);
    waiter.resolve(slot);
  }

  function stopWaiting(waiter: Waiter): void {
    queue.remove(waiter);
    alarm.delete(waiter);
    waiter.signal.removeEventListener('abort', waiter.onAbort);
  }

  /** No waiter could have this slot, so none is passed over. */
  function takeNow(asker: Asker): Slot | undefined {
    return rule.hasRoom(asker.urgency) && rule.hasShare(asker.account) ? occupy(asker) : undefined;
  }

  return {
    takeNow,
    serve,
    take(asker, { deadline, signal }) {
      // The reason of an abort is whatever its owner gave; callers expect exactly that.
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      const slot = takeNow(asker);
      if (slot !== undefined) return Promise.resolve(slot);
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          stopWaiting(waiter);
          reject(signal.reason as Error);
        };
        const waiter: Waiter = { asker, dueAt: deadline, signal, resolve, onAbort };
        queue.add(waiter);
        alarm.set(waiter);
        signal.addEventListener('abort', onAbort);
      });
    },
  };
}

/**
 * The queue in which addresses of lists wait before their mail hosts are looked up. Thousands may begin at once. If
 * all were looked up together, each would use up the time of a DNS lookup waiting for the others. So their number is
 * limited, and a lookup's time begins when it does. Single verifications do not wait here.
 */
type LookupQueue = {
  /** Does the work once there is room for it; returns `late` if the deadline comes first. */
  run<Result>(
    request: Patience & { asker?: Asker },
    work: () => Promise<Result>,
    late: Result,
  ): Promise<Result>;
};

/** Lookups begun between two ticks of the event loop, so that no tick becomes long. */
const mostAtOnce = 50;

export function createLookupQueue({ clock, places }: { clock: Clock; places: number }): LookupQueue {
  let underWay = 0;
  let begun = 0;
  const slots = createFairSlots({
    clock,
    rule: { hasRoom: () => underWay < places && begun < mostAtOnce, hasShare: () => true },
    onTaken() {
      if (begun === 0) clock.after(0, beginNextPortion);
      underWay += 1;
      begun += 1;
    },
    onReleased: () => void (underWay -= 1),
  });
  function beginNextPortion(): void {
    begun = 0;
    slots.serve();
  }

  return {
    async run(request, work, late) {
      request.signal.throwIfAborted();
      const { asker } = request;
      if (asker?.urgency !== 'bulk') return work();
      const slot = slots.takeNow(asker) ?? (await slots.take(asker, request));
      if (slot.kind === 'timeout') return late;
      try {
        return await work();
      } finally {
        slot.release();
      }
    },
  };
}
