/**
 * Mail routes, of which those that say "no mail" are believed only from a resolver that has proved itself after it said
 * so (watch-resolver.ts).
 *
 * Of several resolvers each is asked before a domain is dead: if one finds what another denies, the finding wins. A
 * resolver that denies a large provider condemns itself and not the provider.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { MailRoute } from './mail-route.ts';
import { deniesMailHosts } from './probe-resolver.ts';
import type { Proof, ResolverWatch } from './watch-resolver.ts';

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
