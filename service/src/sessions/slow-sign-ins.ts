import { createBoundedCache, type Clock } from '@mailproof/engine';

/**
 * Slows whoever guesses. After five wrong attempts in a row from one client each further one has to wait, at first a
 * second, then twice as long each time, up to a minute. The right key or token ends the row.
 *
 * An attempt counts as wrong from its beginning until it proves right: a thousand sent at once would otherwise all be
 * let in before the first has failed. Waiting does not count, so that nobody is shut out by trying too soon.
 */
export type SignIns = {
  /** What may be done now by this client: try, or come back later. */
  begin(client: string): Attempt;
};

export type Attempt = { kind: 'try'; succeeded: () => void } | { kind: 'wait'; seconds: number };

const freeFailures = 5;
const longestWaitMs = 60_000;
/** A client that was quiet for so long begins anew. */
const forgetAfterMs = 3_600_000;
const clientsKnown = 10_000;

type Failures = { failures: number; lastAt: number };

export function createSignIns({ clock }: { clock: Pick<Clock, 'now'> }): SignIns {
  /** Only attempts count as use, so the client that has been quiet for longest is forgotten first. */
  const records = createBoundedCache<Failures>({ clock, maxEntries: clientsKnown });

  return {
    begin: (client) => {
      const now = clock.now();
      const record = records.peek(client);
      const waitMs = record === undefined ? 0 : record.lastAt + waitAfter(record.failures) - now;
      if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1_000) };

      records.set(client, { failures: (record?.failures ?? 0) + 1, lastAt: now }, forgetAfterMs);
      return { kind: 'try', succeeded: () => records.delete(client) };
    },
  };
}

function waitAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(1_000 * 2 ** (failures - freeFailures), longestWaitMs);
}
