import type { MailTarget } from '../dns/mail-route.ts';

/**
 * How a mail host is treated: whether it is asked at all, how gently, and from where. One policy for all
 * hosts of a group, which is a provider of the table or else the registrable domain of the host's name.
 */
export type Politeness = {
  /** Conversations open at once with one IP address. */
  conversationsPerAddress: number;
  /** With one network: a /24 of IPv4, a /48 of IPv6. */
  conversationsPerNetwork: number;
  /** With one group. */
  conversationsPerGroup: number;
  /** The most that the limit of a group grows to, one for every `cleanConversationsToGrow`. */
  conversationsPerGroupAtMost: number;
  cleanConversationsToGrow: number;
  /** New connections to one group. */
  connectionsPerSecond: number;
  connectionsPerMinute: number;
  /** Recipients named in one conversation, made-up ones included. */
  recipientsPerConversation: number;
  /** Refused recipients after which a conversation ends. */
  refusalsPerConversation: number;
  /** Percentage of unknown ones among an account's last fifty mailboxes at a group above which it is slowed down. */
  manyUnknownPercent: number;
  recipientsPerMinuteIfManyUnknown: number;
  mostUnknownPercent: number;
  recipientsPerMinuteIfMostUnknown: number;
  /**
   * Percentage of unknown ones among a provider's recipients from one egress address, over all accounts, above which
   * it brakes.
   */
  unknownPercent: number;
  unknownPerMinute: number;
};

export type HostPolicy = {
  /** The group that the host is counted under: a provider's id, or a registrable domain. */
  group: string;
  /** `skip`: never asked. `takes_every_address`: known to accept every recipient, so asking tells nothing. */
  asking: 'probe' | 'skip' | 'takes_every_address';
  politeness: Politeness;
  /** The egress addresses that may be used for this group; undefined means any. */
  routes: readonly string[] | undefined;
  /** Over how many egress addresses its mailboxes are spread. */
  spread: number;
  /** Whether unknown recipients are counted against an egress address: a provider of the table, or one that says so. */
  brakes: boolean;
  /** Whether it is known to count them: a made-up recipient is named only after an answer that needs it. */
  countsUnknown: boolean;
};

/** A mail host at one address, with the policy that holds for it. */
export type Destination = { target: MailTarget; policy: HostPolicy };

export type PolicyBook = {
  policyFor(mailHost: string): HostPolicy;
};
