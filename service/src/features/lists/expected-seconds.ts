import { defaultPoliteness, ownDomainsOf, type IpProfilePace } from '@mailproof/engine';

/**
 * The limits from which the duration of a list is estimated before its start. The estimate uses the mail domains and
 * our own limits; no DNS or mail host is asked. The slowest of three limits decides:
 *
 * - Connections: a conversation takes up to ten recipients of one domain, and an egress address has a rate over all
 *   destinations.
 * - The largest provider: it has a rate per egress address, and one address asks it.
 * - The day: an address that warms up has a daily number of conversations.
 *
 * Deferrals, tarpits and other running lists come on top. Domains with a common provider count apart, unless they are
 * the provider's own: only DNS could tell.
 */
export type SendingRate = {
  pace: IpProfilePace;
  egressAddresses: number;
  /** Conversations that may still begin today, and in a whole day, over all egress addresses; Infinity: no limit. */
  leftToday: number;
  perDay: number;
};

/** Duration of one conversation: the estimate includes the last one. */
const oneConversationSeconds = 5;
const daySeconds = 86_400;

export function expectedSeconds(mailboxes: ReadonlyMap<string, number>, rate: SendingRate): number {
  const byGroup = new Map<string, number>();
  let conversations = 0;
  for (const [domain, count] of mailboxes) {
    // One recipient of each conversation is the random probe.
    const needed = Math.ceil(count / (defaultPoliteness.recipientsPerConversation - 1));
    const group = ownDomainsOf(domain) ?? domain;
    byGroup.set(group, (byGroup.get(group) ?? 0) + needed);
    conversations += needed;
  }
  const largest = byGroup.values().reduce((most, needed) => Math.max(most, needed), 0);
  if (largest === 0) return 0;
  const { connectionsPerSecond, burst } = rate.pace;
  const afterBurst = Math.max(0, conversations - burst * rate.egressAddresses);
  return Math.ceil(
    oneConversationSeconds +
      Math.max(
        Number.isFinite(connectionsPerSecond)
          ? afterBurst / (connectionsPerSecond * rate.egressAddresses)
          : 0,
        ((largest - 1) * 60) / defaultPoliteness.connectionsPerMinute,
        secondsOfDays(conversations, rate),
      ),
  );
}

/** Conversations beyond today's number wait for the following days. */
function secondsOfDays(conversations: number, { leftToday, perDay }: SendingRate): number {
  if (conversations <= leftToday) return 0;
  return Math.ceil((conversations - leftToday) / perDay) * daySeconds;
}
