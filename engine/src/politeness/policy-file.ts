import type { HostPolicy, Politeness } from './policy.ts';

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
