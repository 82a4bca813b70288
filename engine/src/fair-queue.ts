import { createAlarm } from './alarm.ts';
import type { Clock } from './clock.ts';
import type { Patience } from './patience.ts';
import type { StopSignal } from './stop.ts';

/** Who asks, and how urgently: somebody waits for a single verification, nobody for one of a list. */
export type Asker = { urgency: 'single' | 'bulk'; account: string };

/**
 * Those who wait for something scarce: single verifications first, because somebody waits for them; among equals
 * the accounts are served in turn, so that nobody's thousand stand before another's one; within an account first
 * come, first served.
 */
export type FairQueue<Item extends { asker: Asker }> = {
  add(item: Item): void;
  /** Does nothing where the item does not wait. */
  remove(item: Item): void;
  /** The next one. Whoever may not be served now keeps its place. */
  take(rule?: ServingRule): Item | undefined;
  /** The one that would be next if anybody may be served; it keeps its place. */
  first(): Item | undefined;
  size(): number;
};

/** Whom there is room for now, and which accounts have not yet had their share. */
export type ServingRule = {
  hasRoom(urgency: Asker['urgency']): boolean;
  hasShare(account: string): boolean;
};

const serveAnybody: ServingRule = { hasRoom: () => true, hasShare: () => true };

const urgencies = ['single', 'bulk'] as const;

export function createFairQueue<Item extends { asker: Asker }>(): FairQueue<Item> {
  return new OrderedQueue<Item>();
}

/** A class, since thousands of queues are made in a second, and a closure for each verb would cost more than its use. */
class OrderedQueue<Item extends { asker: Asker }> implements FairQueue<Item> {
  /** In most queues nobody waits or one alone, for whom there is no order to be kept. */
  private alone: Item | undefined;
  /**
   * What holds several comes with the second of them and goes with the last. Map and set keep the order of arrival, of
   * accounts and within an account.
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

  /** Puts an item behind those of its account. */
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
  /** A slot that may be had without waiting. */
  takeNow(asker: Asker): Slot | undefined;
  /**
   * Waits for a slot until the deadline. An abort rejects with the signal's reason. A slot is given back once,
   * however often it is released.
   */
  take(asker: Asker, patience: Patience): Promise<Slot>;
  /** Hands out what may be had now. Needed only where room came from elsewhere than a released slot. */
  serve(): void;
};

type FairSlotParts = {
  clock: Clock;
  /** The rule sees the slots that are in use as they are at that moment. */
  rule: ServingRule;
  /** Called before a slot is handed out, and after it came back. */
  onTaken(asker: Asker): void;
  onReleased(asker: Asker): void;
};

/** One who waits, until `dueAt` at the latest. */
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

  /** After this nobody waits who might have a slot. */
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

  /** Those who wait could not have this one, so nobody is passed over. */
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
