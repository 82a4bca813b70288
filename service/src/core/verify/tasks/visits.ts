import type { Explanation } from '@mailproof/client';

/**
 * A visit of a mail host for one address, and its outcome. A deferred address waits in its row alone, so the host's
 * replies are kept there for the final explanation. There are at most `mostVisits`.
 */
export type Visit = NonNullable<Explanation['visits']>[number];

export function visitOf({ reason, replies }: Explanation, now: number): Visit {
  return { at: new Date(now).toISOString(), reason, replies };
}

/** Adds the visits to an explanation, unless the address was never deferred. */
export function withVisits(explanation: Explanation, visits: Visit[]): Explanation {
  return visits.length === 0 ? explanation : { ...explanation, visits };
}

/** Parses visits; only `deferItem` writes them. */
export function readVisits(text: string | null): Visit[] {
  return text === null ? [] : (JSON.parse(text) as Visit[]);
}
