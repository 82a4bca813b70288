import type { Clock } from '../clock.ts';

/**
 * Keeps the process itself within its means: how many conversations are open, and how many may begin in each
 * interval of 20 ms, bounded by how late the event loop runs. While the loop keeps up, the allowance grows. When it
 * falls behind, the allowance is halved, so that the API stays responsive while the engine is busy. Callers that
 * wait begin in turn, one at a time, so that one account's hundred at a host cannot delay another's single one.
 */
export type ConversationLimiter = {
  /** Whether one more may begin now; otherwise `whenFree` is called once when it may be tried again. */
  mayOpen(whenFree: () => void): boolean;
  opened(): void;
  closed(): void;
};

type ConversationLimiterParts = {
  clock: Clock;
  openConversations: number;
};

const intervalMs = 20;
/** Half of the delay that the process may show in its worst hundredth (50 ms): by then it has been late already. */
const lateMs = 25;
/** This few hardly delay the event loop, and a machine that is busy with other work does not bring ours to a halt. */
const leastPerInterval = 16;
/** 3,200 a second: a core begins about 3,500 before it falls behind, and the event loop is not held up by them. */
const mostPerInterval = 64;

export function createConversationLimiter({
  clock,
  openConversations,
}: ConversationLimiterParts): ConversationLimiter {
  const waiting: (() => void)[] = [];
  let open = 0;
  let allowance = leastPerInterval;
  let begun = 0;
  let ticking = false;
  /** Whether it is the turn of the caller that was just called. */
  let called = false;

  /** Ends an interval: judges by its own lateness whether the loop keeps up. */
  function tick(dueAt: number): void {
    ticking = false;
    const late = clock.now() - dueAt > lateMs;
    allowance = late ? Math.max(leastPerInterval, allowance >> 1) : Math.min(mostPerInterval, allowance + 4);
    begun = 0;
    release();
    if (waiting.length > 0 || begun > 0) start();
  }
  function start(): void {
    if (ticking) return;
    ticking = true;
    const dueAt = clock.now() + intervalMs;
    clock.after(intervalMs, () => tick(dueAt));
  }
  function hasRoom(): boolean {
    return open < openConversations && begun < allowance;
  }
  function release(): void {
    while (hasRoom()) {
      const next = waiting.shift();
      if (next === undefined) return;
      called = true;
      next();
      called = false;
    }
  }

  return {
    mayOpen(whenFree) {
      if (hasRoom() && (called || waiting.length === 0)) {
        called = false;
        return true;
      }
      waiting.push(whenFree);
      start();
      return false;
    },
    opened() {
      open += 1;
      begun += 1;
      start();
    },
    closed() {
      open -= 1;
      release();
    },
  };
}
