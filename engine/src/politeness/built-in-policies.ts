import { providerTable, type ProviderId } from '../replies/providers.ts';
import type { Politeness, ProviderSetting } from './policy.ts';

/**
 * The default treatment of a mail host, as one table: each limit, its meaning, and how far an operator may move it.
 * `docs/providers.md` is written from it.
 *
 * Large receivers publish limits for whole deliveries: two to twenty-five connections, ten to fifty recipients in each.
 * The numbers here stay well below, because an asker brings a host nothing that it wants. If several
 * limits bind, the tightest does. All are whole numbers: slower than one connection a second is said by the minute.
 */
export const politenessTable = {
  conversationsPerAddress: {
    value: 2,
    meaning: 'conversations open at once with one IP address, whatever the names it goes by',
    bounds: [1, 1_000],
  },
  /**
   * The MX records of a thousand domains may point at the many addresses of one network, with a fresh group and a
   * fresh address each time. This limit is the one that does not multiply. A /24 mostly belongs to one operator, so
   * it gets the most that one group can earn. Fewer would leave the growth of a group whose hosts stand side by side
   * idle, and would let one slow host hold up all its neighbours.
   */
  conversationsPerNetwork: {
    value: 5,
    meaning: 'conversations open at once with one network: a /24 of IPv4, a /48 of IPv6',
    bounds: [1, 1_000],
  },
  conversationsPerGroup: {
    value: 3,
    meaning: 'conversations open at once with one group, to begin with',
    bounds: [1, 1_000],
  },
  conversationsPerGroupAtMost: {
    value: 5,
    meaning: 'the most that the limit of a group grows to, one at a time',
    bounds: [1, 1_000],
  },
  cleanConversationsToGrow: {
    value: 100,
    meaning: 'conversations without a complaint about us that earn a group one more',
    bounds: [1, 1_000_000],
  },
  connectionsPerSecond: { value: 1, meaning: 'new connections to one group in a second', bounds: [1, 1_000] },
  connectionsPerMinute: {
    value: 30,
    meaning: 'new connections to one group in a minute',
    bounds: [1, 60_000],
  },
  /** Exim's usual rules turn on a conversation of more than ten recipients of which fewer than half were good. */
  recipientsPerConversation: {
    value: 10,
    meaning: 'recipients named in one conversation, made-up ones included',
    // An address and the random probe it is compared with have to fit into one conversation.
    bounds: [2, 100],
  },
  /** Postfix slows every reply down after the tenth error of a conversation, and hangs up after the twentieth. */
  refusalsPerConversation: {
    value: 5,
    meaning: 'refused recipients after which a conversation ends',
    bounds: [1, 100],
  },
  manyUnknownPercent: {
    value: 30,
    meaning:
      "share of an account's last fifty mailboxes at a group that may be unknown before it is slowed down",
    bounds: [1, 100],
  },
  recipientsPerMinuteIfManyUnknown: {
    value: 30,
    meaning: 'recipients a minute of an account with more than that, at that group',
    bounds: [4, 600],
  },
  mostUnknownPercent: {
    value: 60,
    meaning: 'share of unknown mailboxes from which an account is slowed down further',
    bounds: [1, 100],
  },
  /** Four a minute bring a task of a hundred dead addresses to its end within its half hour. */
  recipientsPerMinuteIfMostUnknown: {
    value: 10,
    meaning: 'recipients a minute of an account with more than that, or one that alone is complained about',
    bounds: [4, 600],
  },
  unknownPercent: {
    value: 10,
    meaning:
      'share of unknown recipients, made-up ones included, from which a provider brakes an egress address',
    bounds: [1, 90],
  },
  /** One every three seconds; receivers publish no figure, so this one is ours. */
  unknownPerMinute: {
    value: 20,
    meaning:
      'unknown recipients a minute at a provider beyond that share, for each egress address over all accounts',
    bounds: [1, 6_000],
  },
} as const satisfies Record<
  keyof Politeness,
  { value: number; meaning: string; bounds: readonly [least: number, most: number] }
>;

/** The defaults as plain numbers; they are handed out as they are, so they are frozen. */
export const defaultPoliteness: Readonly<Politeness> = Object.freeze({
  conversationsPerAddress: politenessTable.conversationsPerAddress.value,
  conversationsPerNetwork: politenessTable.conversationsPerNetwork.value,
  conversationsPerGroup: politenessTable.conversationsPerGroup.value,
  conversationsPerGroupAtMost: politenessTable.conversationsPerGroupAtMost.value,
  cleanConversationsToGrow: politenessTable.cleanConversationsToGrow.value,
  connectionsPerSecond: politenessTable.connectionsPerSecond.value,
  connectionsPerMinute: politenessTable.connectionsPerMinute.value,
  recipientsPerConversation: politenessTable.recipientsPerConversation.value,
  refusalsPerConversation: politenessTable.refusalsPerConversation.value,
  manyUnknownPercent: politenessTable.manyUnknownPercent.value,
  recipientsPerMinuteIfManyUnknown: politenessTable.recipientsPerMinuteIfManyUnknown.value,
  mostUnknownPercent: politenessTable.mostUnknownPercent.value,
  recipientsPerMinuteIfMostUnknown: politenessTable.recipientsPerMinuteIfMostUnknown.value,
  unknownPercent: politenessTable.unknownPercent.value,
  unknownPerMinute: politenessTable.unknownPerMinute.value,
});

/** The limits of a conversation at a provider that blocks an address for asking after too many unknown mailboxes. */
export const whereUnknownMailboxesAreCounted = {
  recipientsPerConversation: 5,
  refusalsPerConversation: 3,
} as const satisfies Partial<Politeness>;

/**
 * Lifts the limits for `MAILPROOF_PACING=off`: no limit of rate or concurrency, for tests and private networks. The
 * limits of one conversation stay, since more in it would change the answers and not only annoy the host.
 */
export function unpaced(politeness: Politeness): Politeness {
  return {
    ...politeness,
    conversationsPerAddress: Infinity,
    conversationsPerNetwork: Infinity,
    conversationsPerGroup: Infinity,
    conversationsPerGroupAtMost: Infinity,
    connectionsPerSecond: Infinity,
    connectionsPerMinute: Infinity,
    recipientsPerMinuteIfManyUnknown: Infinity,
    recipientsPerMinuteIfMostUnknown: Infinity,
    unknownPerMinute: Infinity,
  };
}

/**
 * Published wishes of large receivers, as far as they differ from the defaults. The stance is published by the
 * provider, in its postmaster pages or in the replies it gives, and it is printed in `docs/providers.md`. Numbers
 * called ours have no published source. Nothing here was tried out on the providers themselves. A provider that is
 * not named is asked, with the defaults.
 *
 * Groups are ids of the provider table, or registrable domains for hosts that the table does not know.
 */
export type BuiltInPolicy = Omit<ProviderSetting, 'routes' | 'controls' | 'multipliesLimits'> & {
  group: ProviderId | 'cox.net';
  stance: string;
  /** Its published policy forbids verification without sending; `docs/providers.md` cites it. */
  forbidsVerification?: true;
};

export const builtInPolicies: readonly BuiltInPolicy[] = [
  {
    // The default of five conversations at most is the five that senders of bulk mail are advised to open.
    group: 'google',
    countsUnknown: true,
    stance:
      'Wants a PTR record that leads back to the same address, volume that does not double suddenly, and limits ' +
      'counted by mail host and not by domain of the recipient. Quotas hold per IP address and per sender ' +
      'domain. After 421 4.7.28 it wants ten minutes of silence. Takes the ' +
      'recipients of one domain in a transaction.',
  },
  {
    group: 'outlook',
    countsUnknown: true,
    forbidsVerification: true,
    stance:
      'Forbids verification without sending. Wants valid reverse DNS and no dynamic addresses; allows 500 connections, and defers addresses without a ' +
      'reputation (451 4.7.650 to 4.7.652). Takes one recipient in a transaction.',
  },
  {
    group: 'microsoft',
    countsUnknown: true,
    stance:
      'Defers senders it has not met (451 4.7.500 to 4.7.699), refuses banned addresses (5.7.606 to 5.7.649), ' +
      'wants reverse DNS. A customer who has not switched edge blocking on takes every address.',
  },
  {
    // The limits hold if an operator still sets `asking` to `probe`.
    group: 'yahoo',
    countsUnknown: true,
    asking: 'takes_every_address',
    politeness: whereUnknownMailboxesAreCounted,
    stance:
      'Accepts every recipient and tells the truth only after the message, which is never sent. Counts unknown ' +
      'recipients against an address ("excessive unknown recipients"), allows 20 messages in a connection, ' +
      'wants a PTR record that is not generic. Hosts cox.net, att.net, sbcglobal.net, bellsouth.net and, as they ' +
      'move, comcast.net as well.',
  },
  {
    group: 'apple',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance:
      'Asks a reputation service about each address before it speaks; ends a conversation with 421 after too ' +
      'many errors; five messages in a connection are the advice.',
  },
  {
    group: 'mailru',
    asking: 'takes_every_address',
    stance: 'Accepts every recipient and tells the truth only after the message, which is never sent.',
  },
  {
    group: 'godaddy',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance: 'Blocks an address for the day after too many invalid recipients (IB112, IB113).',
  },
  {
    group: 'mxroute',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance: 'Blocks an address that sends "excessive rejected recipients".',
  },
  {
    group: 'cox.net',
    countsUnknown: true,
    politeness: whereUnknownMailboxesAreCounted,
    stance:
      'Blocks an address after too many invalid recipients. The mail of cox.net itself goes to Yahoo since October 2024.',
  },
  {
    group: 'orange',
    politeness: { conversationsPerGroup: 2, conversationsPerGroupAtMost: 2 },
    stance: 'Takes two connections at once from an address (421 OFR005_104 to a third).',
  },
  {
    group: 'comcast',
    stance:
      'Allows 25 connections; answers 421 to an address without reverse DNS. Moves its mailboxes to Yahoo through 2026.',
  },
  {
    // A limit that is answered like an unknown mailbox must not be met: one conversation, ten a minute, are ours.
    group: 'qq',
    politeness: {
      conversationsPerGroup: 1,
      conversationsPerGroupAtMost: 1,
      connectionsPerMinute: 10,
    },
    stance:
      'Limits how often a sender, an address and a connection may ask, without a number, and may answer ' +
      '"Mailbox unavailable or access denied" to a frequent asker as to an unknown mailbox.',
  },
  {
    group: 'mimecast',
    stance: 'Defers senders it has not met, for a minute at least, and blocks addresses for a while (451).',
  },
  {
    group: 'yandex',
    stance: 'Defers frequent askers (450 4.2.1). Some of the domains it hosts take every address.',
  },
];

/**
 * The providers that are asked at all (`MAILPROOF_ASK_PROVIDERS`): `all`, `permitted` for all but those whose
 * published policy forbids verification without sending, or the providers to leave out, each after a minus sign.
 */
export const askProvidersMayBe =
  'all, permitted (leaves out providers whose policy forbids verification), or providers to leave out such as -outlook,-microsoft';

const ids: ReadonlySet<string> = new Set(providerTable.map(({ id }) => id));

/** Providers whose published policy forbids verification without sending. */
export const forbiddingProviders: readonly ProviderId[] = builtInPolicies.flatMap(
  ({ group, forbidsVerification }) => (forbidsVerification === true && isProvider(group) ? [group] : []),
);

/** Returns the providers to leave out; nothing for a text that cannot be read. */
export function parseAskProviders(text: string): ProviderId[] | undefined {
  if (text === 'all') return [];
  if (text === 'permitted') return [...forbiddingProviders];
  const names = text.split(',').map((item) => item.trim());
  const leftOut = names.map((name) => name.slice(1)).filter(isProvider);
  const isWellFormed = names.every((name) => name.startsWith('-')) && leftOut.length === names.length;
  return isWellFormed ? leftOut : undefined;
}

function isProvider(name: string): name is ProviderId {
  return ids.has(name);
}
