import type { Politeness } from './policy.ts';

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
