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

/**
 * The operator's providers file, once it has been read and found right. It says how providers are treated, by which
 * routes conversations leave, and which hosts tell that port 25 is open. The file's own grammar is in
 * `read-policy-file.ts`; `docs/providers.md` explains it.
 */
export type PolicyFile = {
  /** By provider id, group, or suffix of mail hosts (which begins with a dot), in lower case. */
  providers: ReadonlyMap<string, ProviderSetting>;
  /** In the order of the file. Empty: only the default route. */
  routes: readonly RouteSetting[];
  /** Mail hosts that are connected to only to see whether port 25 is open. */
  canaries: readonly string[];
};

/** The settings of a provider. A setting that is not stated stays as it was. */
export type ProviderSetting = {
  asking?: HostPolicy['asking'];
  politeness?: Partial<Politeness>;
  /** Ids of routes, and egress addresses of probers elsewhere (`NAME/ID`); never empty. */
  routes?: readonly string[];
  /** Over how many egress addresses the mailboxes of the provider are spread; 1 unless stated. */
  spread?: number;
  /** Whether each of them has the full limits; otherwise they share the provider's limits. */
  multipliesLimits?: boolean;
  /** Whether unknown recipients are counted there. */
  countsUnknown?: boolean;
  /**
   * The most connections that all of them together may open in a minute; each has its share of it. Never less than
   * `spread`.
   */
  connectionsPerMinuteInAll?: number;
  /** Living mailboxes of the operator's own at this provider; never empty. */
  controls?: readonly string[];
};

/** A way by which conversations leave. */
export type RouteSetting = DirectRoute | ProxyRoute;

export type DirectRoute = RouteManners & {
  kind: 'direct';
  /** An address of this machine; without one the system chooses. */
  localAddress?: string;
};

export type ProxyRoute = RouteManners & {
  kind: 'socks5';
  socks5: {
    /** An IP literal: no name is looked up on the way to a mail host. */
    host: string;
    port: number;
    /** RFC 1929. */
    login?: { username: string; password: string };
  };
};

type RouteManners = {
  /** Unique in the file. `default` gives the default route other manners. */
  id: string;
  /** Without one: the engine's own. */
  heloName?: string;
  mailFrom?: string;
  /** The addresses that mail hosts see its connections come from, if a proxy or NAT hides that from us; never empty. */
  publicAddresses?: readonly string[];
  /** New conversations over this route; without one there is no limit but those of the destinations. */
  perMinute?: number;
  perDay?: number;
  /** The daily volume of a route that is new, doubling until it meets `perDay`. */
  warmUp?: { startPerDay: number; doubleEveryDays: number };
};

/** Returns the routes of the operator's file, or the default route without a file. */
export function routesOr(settings: readonly RouteSetting[] | undefined): readonly RouteSetting[] {
  return settings === undefined || settings.length === 0 ? [{ id: 'default', kind: 'direct' }] : settings;
}
