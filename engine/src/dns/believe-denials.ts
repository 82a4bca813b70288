import type { Clock } from '../clock.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { MailRoute } from './mail-route.ts';
import { deniesMailHosts } from './probe-resolver.ts';
import type { ResolverWatch } from './watch-resolver.ts';

type BelieveParts = {
  clock: Clock;
  watch: Pick<ResolverWatch, 'inDoubt' | 'noteDenied'>;
  /** Whether a domain takes mail for certain, by mail hosts of its own name. */
  takesMailForCertain(domain: CanonicalHost): boolean;
  findMailRoute(domain: CanonicalHost, patience: Patience): Promise<MailRoute>;
};

/**
 * Mail routes, of which those that say "no mail" are believed only from a resolver that is known to tell the truth.
 * One that denies a large provider condemns itself and not the provider.
 */
export function believeDenials(parts: BelieveParts): BelieveParts['findMailRoute'] {
  const { clock, watch } = parts;
  return async (domain, patience) => {
    const since = clock.now();
    const route = await parts.findMailRoute(domain, patience);
    if (parts.takesMailForCertain(domain) && deniesMailHosts(route)) {
      watch.noteDenied(domain);
      return inDoubt;
    }
    if (route.kind !== 'refuses_mail') return route;
    return (await watch.inDoubt(since, patience)) ? inDoubt : route;
  };
}

const inDoubt: MailRoute = { kind: 'undetermined', failure: 'denies_known_names' };
