/**
 * Tells those whose time is over, to the nearest few milliseconds. One timer serves all, and none runs while nobody
 * waits: nearly everybody is answered in time, so a deadline has to cost next to nothing.
 */
export type Deadlines = {
  /** Calls `onLate` once, after `until` (of `performance.now`), unless the answer is called before. */
  add: (until: number, onLate: () => void) => () => void;
  /** The work's own answer, or `late()` thrown where it does not come by `until`. The work itself goes on. */
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
    // One round of the event loop later, so that an answer that is here already is read first.
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
