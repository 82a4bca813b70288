import type { Clock } from './clock.ts';
import type { Asker } from './probing/pending-probe.ts';
import type { Patience } from './patience.ts';

/**
 * Where the verifications of lists wait before anything is asked for them. Thousands may be begun in one breath; were
 * they all looked up at once, each would use up the time of a DNS lookup waiting for the others. So many are let in at a
 * time, accounts in turns, and a lookup's time begins when it is let in. Single verifications do not wait here.
 */
type Admission = {
  /** Does the work once there is room for it; gives `late` where the deadline comes first. */
  through<Result>(request: Admitted, work: () => Promise<Result>, late: Result): Promise<Result>;
};

type Admitted = Patience & { asker?: Asker };

/** Let in between two turns of the event loop, so that none is long for it. */
const mostAtOnce = 50;

export function createAdmission({ clock, places }: { clock: Clock; places: number }): Admission {
  // Both keep the order of arrival: accounts in turns, and within an account first come, first served.
  const rows = new Map<string, Set<() => void>>();
  let taken = 0;
  let begun = 0;

  /** Lets in the next of the account whose turn it is; that account then goes to the end of the row. */
  function letIn(): void {
    for (const [account, row] of rows) {
      if (taken >= places || begun >= mostAtOnce) return;
      if (begun === 0) clock.after(0, beginTurn);
      const [admit] = row;
      rows.delete(account);
      rows.set(account, row);
      taken += 1;
      begun += 1;
      admit?.();
    }
  }
  function beginTurn(): void {
    begun = 0;
    letIn();
  }

  function enter({ asker, deadline, signal }: Admitted): Promise<'in' | 'late'> {
    const account = asker?.account ?? '';
    return new Promise((resolve, reject) => {
      const row = rows.get(account) ?? new Set();
      const cancelTimer = clock.after(deadline - clock.now(), () => {
        stopWaiting();
        resolve('late');
      });
      signal.addEventListener('abort', onAbort, { once: true });
      rows.set(account, row.add(admit));
      letIn();

      function stopWaiting(): void {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        row.delete(admit);
        if (row.size === 0) rows.delete(account);
      }
      function admit(): void {
        stopWaiting();
        resolve('in');
      }
      function onAbort(): void {
        stopWaiting();
        // The reason of an abort is whatever its owner gave; callers expect exactly that.
        reject(signal.reason as Error);
      }
    });
  }

  return {
    async through(request, work, late) {
      request.signal.throwIfAborted();
      if (request.asker?.urgency !== 'bulk') return work();
      if ((await enter(request)) === 'late') return late;
      try {
        return await work();
      } finally {
        taken -= 1;
        letIn();
      }
    },
  };
}
