/**
 * Mail routes found not long ago, whole, for as long as every answer they were made from may be kept. That a domain takes
 * no mail is remembered too once it was proved (believe-denials.ts), if its own records alone say so.
 */
import { isIPv4 } from 'node:net';
import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { DnsResolver } from './create-resolver.ts';
import type { MailRoute } from './mail-route.ts';
import type { QuestionType } from './question.ts';

type RememberedRoutes = {
  find(domain: CanonicalHost, patience: Patience): Promise<MailRoute>;
  /** Asks nobody. */
  recall(domain: CanonicalHost): MailRoute | undefined;
};

type RememberParts = {
  clock: Clock;
  limits: Limits;
  resolver: Pick<DnsResolver, 'lifeMs'>;
  findMailRoute: (domain: CanonicalHost, patience: Patience) => Promise<MailRoute>;
};

/** The records of the domain that prove each refusal; those that rest on other names are proved anew. */
const typesOfProof: { [Why in (MailRoute & { kind: 'refuses_mail' })['why']]?: QuestionType[] } = {
  no_such_domain: ['MX', 'A'],
  null_mx: ['MX'],
  no_mail_host: ['MX', 'A', 'AAAA'],
};

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
