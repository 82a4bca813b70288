import type { Clock } from '@mailproof/engine';

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
  /** In the order of the last attempt, so that the one who was quiet for longest is forgotten first. */
  const records = new Map<string, Failures>();

  return {
    begin: (client) => {
      const now = clock.now();
      const known = records.get(client);
      const record = known === undefined || now - known.lastAt >= forgetAfterMs ? undefined : known;
      const waitMs = record === undefined ? 0 : record.lastAt + waitAfter(record.failures) - now;
      if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1_000) };

      records.delete(client);
      if (records.size >= clientsKnown) forgetQuietest(records);
      records.set(client, { failures: (record?.failures ?? 0) + 1, lastAt: now });
      return { kind: 'try', succeeded: () => void records.delete(client) };
    },
  };
}

function waitAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(1_000 * 2 ** (failures - freeFailures), longestWaitMs);
}

function forgetQuietest(records: Map<string, Failures>): void {
  const [quietest] = records.keys();
  if (quietest !== undefined) records.delete(quietest);
}
