import { createBoundedCache, type Clock } from '@mailproof/engine';

/**
 * Slows down guessing. After five wrong attempts in a row from one client, each further one has to wait: at first a
 * second, then twice as long each time, up to a minute. The right key or token resets the count.
 *
 * An attempt counts as wrong until it proves right: otherwise a thousand sent at once would all be allowed before the
 * first has failed. A refused attempt does not count, so that trying too soon does not lengthen the wait.
 */
export type SignIns = {
  /** Whether this client may try now, or has to wait. */
  begin(client: string): SignInAttempt;
};

export type SignInAttempt = { kind: 'try'; succeeded: () => void } | { kind: 'wait'; seconds: number };

const freeFailures = 5;
const longestWaitMs = 60_000;
/** A client that has not tried for this long starts again from zero. */
const forgetAfterMs = 3_600_000;
const clientsKnown = 10_000;

type Failures = { failures: number; lastAt: number };

export function createSignIns({ clock }: { clock: Pick<Clock, 'now'> }): SignIns {
  const clients = createBoundedCache<Failures>({ clock, maxEntries: clientsKnown });

  return {
    begin: (client) => {
      const now = clock.now();
      const known = clients.get(client);
      const waitMs = known === undefined ? 0 : known.lastAt + waitAfter(known.failures) - now;
      if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1_000) };

      clients.set(client, { failures: (known?.failures ?? 0) + 1, lastAt: now }, forgetAfterMs);
      return { kind: 'try', succeeded: () => clients.delete(client) };
    },
  };
}

function waitAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(1_000 * 2 ** (failures - freeFailures), longestWaitMs);
}
