import type { Explanation } from '@mailproof/client';

/**
 * What came of each time a mail host was asked for one address. A deferred address waits in its row and nowhere
 * else, so what the host said is kept there, and the explanation shows it in the end. There are never more of
 * them than a deferring host is asked (`mostVisits`).
 */
export type Visit = NonNullable<Explanation['visits']>[number];

export function visitOf({ reason, replies }: Explanation, now: number): Visit {
  return { at: new Date(now).toISOString(), reason, replies };
}

/** An address that was never put off has nothing to tell beyond its explanation. */
export function withVisits(explanation: Explanation, visits: Visit[]): Explanation {
  return visits.length === 0 ? explanation : { ...explanation, visits };
}

/** Only `deferItem` writes them. */
export function readVisits(text: string | null): Visit[] {
  return text === null ? [] : (JSON.parse(text) as Visit[]);
}
