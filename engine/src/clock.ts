import { hrtime } from 'node:process';

/**
 * Time as the engine sees it: monotonic milliseconds, and a way to be called back.
 *
 * Deadlines are points on this clock, never on the wall's: a wall clock that jumps must neither
 * cut a conversation short nor let it hang.
 */
export type Clock = {
  /** Monotonic milliseconds since some fixed point. */
  now(): number;
  /** Calls back once after `ms` milliseconds; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
};

/**
 * A process that was held up finds its timers due and its sockets full at once, and Node runs the timers first. So a
 * callback waits for one more look at the sockets: what came in time is read before the wait for it is given up.
 */
export const systemClock: Clock = {
  // Asked some fifty times for an address; `performance.now()` checks and allocates more.
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

/** Node keeps the timers of each duration in a list of their own: where a sixtieth does not matter, few will do. */
const longMs = 1_000;
const stepMs = 16;

/** Node's timers count whole milliseconds and may fire up to one early; a deadline must have passed when it is told. */
function timerMs(ms: number): number {
  return Math.max(0, (ms < longMs ? Math.ceil(ms) : Math.ceil(ms / stepMs) * stepMs) + 1);
}
