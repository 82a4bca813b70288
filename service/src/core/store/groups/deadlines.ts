/**
 * Deadlines, precise to a few milliseconds. One timer serves all of them, and runs only while a deadline is open.
 * Nearly every caller is answered in time, so a deadline must cost next to nothing.
 */
export type Deadlines = {
  /** Calls `onLate` once after `until` (of `performance.now`), unless the returned function is called first. */
  add: (until: number, onLate: () => void) => () => void;
  /** Returns the result of the work, or throws `late()` if it has not come by `until`. The work itself goes on. */
  race: <T>(work: () => Promise<T>, limit: { until: number; late: () => Error }) => Promise<T>;
};

type Deadline = { until: number; onLate: () => void };

const everyMs = 20;

export function createDeadlines(): Deadlines {
  const waiting = new Set<Deadline>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const one of waiting) {
      if (one.until > now) continue;
      waiting.delete(one);
      one.onLate();
    }
    timer = undefined;
    if (waiting.size > 0) start();
  }

  function start(): void {
    // The check runs a round of the event loop later, so that an answer that has arrived is read first.
    timer ??= setTimeout(() => setImmediate(look), everyMs).unref();
  }

  function add(until: number, onLate: () => void): () => void {
    const one = { until, onLate };
    waiting.add(one);
    start();
    return () => void waiting.delete(one);
  }

  return {
    add,
    race: (work, { until, late }) =>
      new Promise((resolve, reject) => {
        if (performance.now() >= until) {
          reject(late());
          return;
        }
        const done = add(until, () => reject(late()));
        void work().then(resolve, reject).then(done);
      }),
  };
}
