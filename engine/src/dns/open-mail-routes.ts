import { isIPv4 } from 'node:net';
import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { largeProviders } from '../lists/large-providers.ts';
import { createLeadsNowhere, type Cidr } from '../ip-address.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import type { ControlNames } from './control-questions.ts';
import type { DnsResolver } from './create-resolver.ts';
import type { Resolver, QuestionType } from './lookup.ts';
import { findMailRoute, type MailRoute } from './mail-route.ts';
import { watchResolver, deniesMailHosts, type ResolverWatch, type Proof } from './watch-resolver.ts';

type OpenParts = {
  resolver: DnsResolver;
  clock: Clock;
  limits: Limits;
  /** Names that must exist, by which the resolvers are tried; none: denials are believed as they come. */
  resolverProbes: readonly string[];
  /** Blocks outside public address space in which mail hosts may be. */
  allow: readonly Cidr[];
  /** Whether a prober elsewhere may ask, which may have other blocks open. */
  mayAskElsewhere: () => boolean;
  onProblem(message: string): void;
};

/** Addresses that belong to no host on any network (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.2). */
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

/**
 * Returns the names by which resolvers are tried. A resolver that must know one large provider sees the public DNS,
 * so the other providers try it too.
 */
function controlNames(probes: readonly string[]): ControlNames {
  const certain = hostsOf(probes);
  const isPublic = certain.some((name) => largeProviders.has(name));
  // The largest come first on the list, and are the likeliest to be in the cache of a shared resolver.
  return { certain, further: isPublic ? hostsOf([...largeProviders].reverse()) : [] };
}

function hostsOf(names: readonly string[]): CanonicalHost[] {
  return names.flatMap((name) => canonicalHost(name) ?? []);
}

type RememberedRoutes = {
  find(domain: CanonicalHost, patience: Patience): Promise<MailRoute>;
  /** Returns a remembered route without asking DNS. */
  recall(domain: CanonicalHost): MailRoute | undefined;
};

type RememberParts = {
  clock: Clock;
  limits: Limits;
  resolver: Pick<DnsResolver, 'lifeMs'>;
  findMailRoute: (domain: CanonicalHost, patience: Patience) => Promise<MailRoute>;
};

/** The records of the domain that prove each refusal; refusals that rest on other names are proved anew. */
const typesOfProof: { [Why in (MailRoute & { kind: 'refuses_mail' })['why']]?: QuestionType[] } = {
  no_such_domain: ['MX', 'A'],
  null_mx: ['MX'],
  no_mail_host: ['MX', 'A', 'AAAA'],
};

/**
 * Remembers whole mail routes for as long as every answer they were made from may be kept. A proved "takes no mail"
 * (`believeDenials`) is remembered too, if the domain's own records alone say so.
 */
export function rememberMailRoutes({
  clock,
  limits,
  resolver,
  findMailRoute,
}: RememberParts): RememberedRoutes {
  const routes = createBoundedCache<MailRoute>({ clock, maxEntries: limits.dnsCacheEntries });

  function lifeOf(domain: CanonicalHost, route: MailRoute): number {
    if (route.kind === 'undetermined') return 0;
    if (route.kind === 'refuses_mail') {
      const types = typesOfProof[route.why] ?? [];
      return types.length === 0
        ? 0
        : Math.min(...types.map((type) => resolver.lifeMs({ name: domain, type })));
    }
    const { name, addresses } = route.first;
    return Math.min(
      resolver.lifeMs({ name: domain, type: 'MX' }),
      resolver.lifeMs({ name, type: 'A' }),
      // The AAAA records of a host with A records are no part of its route.
      addresses.every((address) => isIPv4(address)) ? Infinity : resolver.lifeMs({ name, type: 'AAAA' }),
    );
  }

  return {
    find: async (domain, patience) => {
      const known = routes.get(domain);
      if (known !== undefined) return known;
      const route = await findMailRoute(domain, patience);
      routes.set(domain, route, lifeOf(domain, route));
      return route;
    },
    recall: (domain) => routes.get(domain),
  };
}

type FindMailRoute = (domain: CanonicalHost, patience: Patience) => Promise<MailRoute>;

type BelieveParts = {
  clock: Clock;
  limits: Pick<Limits, 'resolverProofMs'>;
  watch: Pick<ResolverWatch, 'prove' | 'noteDenied'>;
  /** Whether a domain takes mail for certain, by mail hosts of its own name. */
  takesMailForCertain(domain: CanonicalHost): boolean;
  /** From whichever server answers, or from the cache. */
  findMailRoute: FindMailRoute;
  /** From each server alone, past the cache. */
  findAtServers: readonly FindMailRoute[];
};

/** A denial from before the resolver recovered is asked for again, once. */
const mostSearches = 2;

/**
 * Believes a route that says "no mail" only from a resolver that has proved itself after it said so
 * (watch-resolver.ts).
 *
 * Each of several resolvers is asked before a domain is dead: if one finds a route that another denies, the route
 * wins. A resolver that denies a large provider condemns itself and not the provider.
 */
export function believeDenials(parts: BelieveParts): FindMailRoute {
  return async (domain, patience) => {
    const isCertain = parts.takesMailForCertain(domain);
    const denies = isCertain ? deniesMailHosts : refusesMail;
    let proof: Proof = 'unproved';
    for (let searches = 0; searches < mostSearches; searches += 1) {
      const since = parts.clock.now();
      const heard = await parts.findMailRoute(domain, patience);
      if (!denies(heard)) return heard;
      const routes = await searchFurther(domain, heard, { parts, patience });
      const found = routes.find(({ route }) => route.kind === 'takes_mail' && !denies(route));
      if (found !== undefined) return found.route;
      const denials = routes.filter(({ route }) => denies(route));
      const [first] = denials.length > 0 ? denials : routes;
      if (first === undefined) throw new Error('a search without a route');
      if (denials.length === 0) return first.route;
      if (isCertain) parts.watch.noteDenied(domain);
      if (isCertain) return inDoubt('denies');
      for (const { server, route } of denials) {
        proof = await parts.watch.prove(server, since, proofPatience(parts, patience));
        if (proof === 'proved') return route;
        if (proof === 'recovered') break;
      }
      if (proof !== 'recovered') break;
    }
    return inDoubt(proof);
  };
}

type FoundAt = { server: number; route: MailRoute };

/** Returns a denial as every server gives it, or alone if there is but one server. */
async function searchFurther(
  domain: CanonicalHost,
  denial: MailRoute,
  { parts: { findAtServers }, patience }: { parts: BelieveParts; patience: Patience },
): Promise<FoundAt[]> {
  if (findAtServers.length < 2) return [{ server: 0, route: denial }];
  return Promise.all(
    findAtServers.map(async (find, server) => ({ server, route: await find(domain, patience) })),
  );
}

function refusesMail({ kind }: MailRoute): boolean {
  return kind === 'refuses_mail';
}

function proofPatience({ clock, limits }: BelieveParts, { deadline, signal }: Patience): Patience {
  return { deadline: Math.min(deadline, clock.now() + limits.resolverProofMs), signal };
}

function inDoubt(proof: Proof): MailRoute {
  return { kind: 'undetermined', failure: proof === 'denies' ? 'denies_known_names' : 'denial_unproved' };
}
