import type { Clock } from '@mailproof/engine';

/** Time that stands still until it is moved to the next timer: a day passes in seconds. */
export type SimulatedClock = Clock & {
  /** Moves to the next timer and calls it; false if there is none until then. */
  step(until: number): boolean;
};

type Timer = { at: number; number: number; callback: (() => void) | undefined };

export function createSimulatedClock(): SimulatedClock {
  const heap: Timer[] = [];
  let now = 0;
  let made = 0;

  return {
    now: () => now,
    after(ms, callback) {
      const timer: Timer = { at: now + Math.max(0, ms), number: (made += 1), callback };
      push(heap, timer);
      return () => (timer.callback = undefined);
    },
    step(until) {
      for (let first = heap[0]; first !== undefined && first.at <= until; first = heap[0]) {
        pop(heap);
        if (first.callback === undefined) continue;
        now = Math.max(now, first.at);
        first.callback();
        return true;
      }
      return false;
    },
  };
}

/** Ends when so much of the simulated time has passed. */
export function pause(ms: number, clock: SimulatedClock): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Of two at the same time, the one that was set first. */
function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.number < other.number);
}

function push(heap: Timer[], timer: Timer): void {
  let index = heap.push(timer) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(timer, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
    if (child === undefined || !isBefore(child, last)) break;
    heap[index] = child;
    index = child === left ? 2 * index + 1 : 2 * index + 2;
  }
  heap[index] = last;
}
