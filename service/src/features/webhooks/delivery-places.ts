import { webhookLimits } from './webhook-limits.ts';

/**
 * The places in which a process sends deliveries. A receiver that hangs keeps its place for the whole attempt, so places
 * are shared such that it costs its own account:
 *
 *     own      one for each account, whatever the others do
 *     shared   what an account sends beside that: a few for an endpoint, a host, an account, and so many for all
 *     hanging  endpoints whose last attempt timed out: one for each account, apart from the rest
 *
 * So an account whose receivers answer never waits for the receivers of others: its own place is free, or becomes free
 * as soon as its own receiver answers.
 */
export type Receiver = { webhookId: string; accountId: string; host: string; hangs: boolean };

type DeliveryPlaces = {
  /** Answers with what gives the place back; nothing if there is none. */
  take(receiver: Receiver): (() => void) | undefined;
};

/** All places together. */
export const placesAtOnce =
  webhookLimits.accountsAtOnce + webhookLimits.sentAtOnce + webhookLimits.hangingAtOnce;

export function createDeliveryPlaces(limits = webhookLimits): DeliveryPlaces {
  const counts = new Map<string, number>();
  const held = (key: string): number => counts.get(key) ?? 0;
  const add = (key: string, more: number): void => {
    const now = held(key) + more;
    if (now === 0) counts.delete(key);
    else counts.set(key, now);
  };

  /** The counts that a delivery would be part of, each with its limit; the first kind of place with room is taken. */
  function* kindsFor({ webhookId, accountId, host, hangs }: Receiver): Generator<[string, number][]> {
    if (hangs) {
      yield [
        ['hanging', limits.hangingAtOnce],
        [`hanging of ${accountId}`, 1],
      ];
      return;
    }
    const ofReceiver: [string, number][] = [
      [`to ${webhookId}`, limits.sentAtOnceToEndpoint],
      [`of ${accountId}`, limits.sentAtOnceOfAccount],
    ];
    yield [
      ...ofReceiver,
      [`own of ${accountId}`, 1],
      ['own', limits.accountsAtOnce],
      [`own at ${host}`, limits.accountsAtOnceToHost],
    ];
    yield [...ofReceiver, ['shared', limits.sentAtOnce], [`shared at ${host}`, limits.sentAtOnceToHost]];
  }

  return {
    take(receiver) {
      for (const kind of kindsFor(receiver)) {
        if (!kind.every(([key, most]) => held(key) < most)) continue;
        for (const [key] of kind) add(key, 1);
        return () => kind.forEach(([key]) => add(key, -1));
      }
      return undefined;
    },
  };
}
