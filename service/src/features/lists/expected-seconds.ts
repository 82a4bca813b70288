import { defaultPoliteness, ownDomainsOf, type IpProfilePace } from '@mailproof/engine';

/**
 * How long a list will take, said before it is started. It is an estimate from what is known without asking anybody:
 * the mail domains, and what our own limits allow. Whichever of these takes longest decides:
 *
 * - connections: each conversation takes up to ten recipients of one domain, and an egress address begins so many
 *   conversations a second over all destinations;
 * - the largest provider: so many conversations a minute for each egress address that asks it, which is one;
 * - the day: an address that warms up begins so many conversations a day.
 *
 * Mail hosts that defer us, tarpits and lists that run beside this one come on top. Domains that share a provider
 * cannot be told before DNS was asked, unless they are the provider's own.
 */
export type SendingRate = {
  pace: IpProfilePace;
  egressAddresses: number;
  /** What may still begin today, and what may begin in a whole day, over all egress addresses; Infinity: no limit. */
  leftToday: number;
  perDay: number;
};

/** What a conversation takes from its beginning to its answer; the last one has to be waited for. */
const oneConversationSeconds = 5;
const daySeconds = 86_400;

export function expectedSeconds(mailboxes: ReadonlyMap<string, number>, rate: SendingRate): number {
  const byGroup = new Map<string, number>();
  let conversations = 0;
  for (const [domain, count] of mailboxes) {
    // One place is for the made-up recipient.
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

/** What does not fit into today waits for the days after it. */
function secondsOfDays(conversations: number, { leftToday, perDay }: SendingRate): number {
  if (conversations <= leftToday) return 0;
  return Math.ceil((conversations - leftToday) / perDay) * daySeconds;
}
