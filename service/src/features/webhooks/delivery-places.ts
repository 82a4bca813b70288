import { webhookLimits } from './webhook-limits.ts';

/**
 * A receiver that competes for a place to be sent to. A receiver that hangs keeps its place for the whole attempt. So
 * places are shared such that it delays only its own account:
 *
 *     own      one per account, independent of other accounts
 *     shared   further deliveries, limited per endpoint, host and account, and in total
 *     hanging  endpoints whose last attempt timed out: one per account, counted apart
 *
 * An account whose receivers answer never waits for others' receivers. Its own place is free, or becomes free when its
 * own receiver answers.
 */
export type Receiver = { webhookId: string; accountId: string; host: string; hangs: boolean };

type DeliveryPlaces = {
  /** Takes a place and returns the function that frees it; `undefined` if there is none. */
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

  /** Yields kinds of place for a delivery, each as counts with their limits; the first kind with room is taken. */
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
