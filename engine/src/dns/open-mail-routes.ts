import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { largeProviders } from '../lists/large-providers.ts';
import { createLeadsNowhere } from '../net/never-public.ts';
import type { Cidr } from '../net/parse-cidr.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { believeDenials } from './believe-denials.ts';
import type { ControlNames } from './control-questions.ts';
import type { DnsResolver } from './create-resolver.ts';
import { findMailRoute } from './find-mail-route.ts';
import type { Resolver } from './lookup.ts';
import { rememberMailRoutes } from './remember-mail-routes.ts';
import { watchResolver, type ResolverWatch } from './watch-resolver.ts';

type OpenParts = {
  resolver: DnsResolver;
  clock: Clock;
  limits: Limits;
  /** Names that must exist, by which the resolvers are tried; none: denials are believed as they come. */
  resolverProbes: readonly string[];
  /** Blocks outside public address space in which mail hosts may be. */
  allow: readonly Cidr[];
  /** Whether a prober elsewhere may ask, to which other blocks may be open. */
  mayAskElsewhere: () => boolean;
  onProblem(message: string): void;
};

/** No address at all (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.2): it is nobody's, on any network. */
const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export type MailRoutes = ReturnType<typeof rememberMailRoutes>;

/** Opens mail routes; a denial counts only if its resolver has proved itself since. */
export function openMailRoutes({ resolver, clock, limits, ...parts }: OpenParts): {
  mailRoutes: MailRoutes;
  resolverWatch: ResolverWatch;
} {
  const isNowhere = createLeadsNowhere(parts.allow);
  const leadsNowhere = (address: string): boolean =>
    isNowhere(address) && (unspecified.has(address) || !parts.mayAskElsewhere());
  const findWith = (asked: Resolver) => {
    const routeParts = { resolver: asked, clock, limits, leadsNowhere };
    return (domain: CanonicalHost, patience: Patience) => findMailRoute(domain, routeParts, patience);
  };
  const resolverWatch = watchResolver({
    clock,
    limits,
    resolver,
    leadsNowhere,
    names: controlNames(parts.resolverProbes),
    findMailRoute: findWith(resolver.uncached),
    onProblem: (message) => parts.onProblem(message),
  });
  const mailRoutes = rememberMailRoutes({
    clock,
    limits,
    resolver,
    findMailRoute: believeDenials({
      clock,
      limits,
      watch: resolverWatch,
      takesMailForCertain: (domain) => largeProviders.has(domain),
      findMailRoute: findWith(resolver),
      findAtServers: Array.from({ length: resolver.servers }, (_, server) => findWith(resolver.at(server))),
    }),
  });
  return { mailRoutes, resolverWatch };
}

/** A resolver that must know one large provider sees the public DNS: it is tried by the others too. */
function controlNames(probes: readonly string[]): ControlNames {
  const certain = hostsOf(probes);
  const isPublic = certain.some((name) => largeProviders.has(name));
  // The largest stand first on the list, and are the likeliest to be in the cache of a resolver that others use too.
  return { certain, further: isPublic ? hostsOf([...largeProviders].reverse()) : [] };
}

function hostsOf(names: readonly string[]): CanonicalHost[] {
  return names.flatMap((name) => canonicalHost(name) ?? []);
}
