import { hrtime } from 'node:process';

/**
 * Time as the engine sees it: monotonic milliseconds, and a way to be called back.
 *
 * Deadlines are points on this clock, never on the wall clock: a wall clock that jumps must neither cut a
 * conversation short nor let it hang.
 */
export type Clock = {
  /** Monotonic milliseconds since some fixed point. */
  now(): number;
  /** Calls back once after `ms` milliseconds; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
};

/**
 * A process that was held up finds its timers due and its sockets full at once, and Node runs the timers first. So a
 * callback waits for one more look at the sockets: data that came in time is read before its wait is given up.
 */
export const systemClock: Clock = {
  // Called some fifty times for an address; `performance.now()` checks and allocates more.
  now() {
    const time = hrtime();
    // By index: taking the pair apart would make an iterator and three results each time.
    return time[0] * 1_000 + time[1] / 1_000_000;
  },
  after: (ms, callback) => {
    let afterSockets: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => (afterSockets = setImmediate(callback)), timerMs(ms));
    return () => {
      clearTimeout(timer);
      clearImmediate(afterSockets);
    };
  },
};

/**
 * Node keeps the timers of each duration in a list of their own. Rounded durations, a sixtieth longer at most, need
 * few lists.
 */
const longMs = 1_000;
const stepMs = 16;

/**
 * Returns the time for Node's timers, which count whole milliseconds and may fire up to one early: a deadline must
 * have passed when it is told.
 */
function timerMs(ms: number): number {
  return Math.max(0, (ms < longMs ? Math.ceil(ms) : Math.ceil(ms / stepMs) * stepMs) + 1);
}

/**
 * One timer for many items, most of which leave long before it would ring for them. It is set as long as any item
 * waits, and so keeps the process alive until then.
 */
export type Alarm<Item extends { dueAt: number }> = {
  /** Adds an item, or notes its new time. */
  set(item: Item): void;
  /** Does nothing if the item does not wait. */
  delete(item: Item): void;
  /** All items that wait, in the order in which they came. */
  items(): Iterable<Item>;
};

/**
 * `onDue` is called with an item whose time, a point on the clock, has come; it removes the item or gives it a new
 * time.
 */
export function createAlarm<Item extends { dueAt: number }>(
  clock: Clock,
  onDue: (item: Item, now: number) => void,
): Alarm<Item> {
  const items = new Set<Item>();
  let ringsAt = Infinity;
  let cancelTimer = () => {};

  function ringAt(at: number): void {
    if (at >= ringsAt) return;
    cancelTimer();
    ringsAt = at;
    cancelTimer = clock.after(at - clock.now(), ring);
  }
  function ring(): void {
    ringsAt = Infinity;
    const now = clock.now();
    for (const item of items) if (item.dueAt <= now) onDue(item, now);
    for (const { dueAt } of items) ringAt(dueAt);
  }

  return {
    set(item) {
      items.add(item);
      ringAt(item.dueAt);
    },
    delete(item) {
      items.delete(item);
      if (items.size > 0) return;
      cancelTimer();
      ringsAt = Infinity;
    },
    items: () => items,
  };
}
