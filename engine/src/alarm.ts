import type { Clock } from './clock.ts';

/**
 * One timer for many who wait, most of whom have left long before it would ring for them. It is set for as long as
 * anybody waits, and so keeps the process alive until then.
 */
export type Alarm<Item extends { dueAt: number }> = {
  /** Takes an item in, or takes notice of its new time. */
  set(item: Item): void;
  /** Does nothing where the item does not wait. */
  delete(item: Item): void;
  /** All who wait, in the order in which they came. */
  items(): Iterable<Item>;
};

/** `onDue` is told of an item whose time, a point on the clock, has come; it takes it out or gives it a new time. */
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
