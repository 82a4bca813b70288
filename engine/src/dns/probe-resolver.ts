import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Lookup, Resolver } from './lookup.ts';
import type { MailRoute } from './mail-route.ts';

/** What a resolver says of names that must exist. */
type ResolverFinding =
  | { kind: 'in_order' }
  /** It says of these that they are not there, or hold nothing. */
  | { kind: 'denies'; names: CanonicalHost[] }
  /** It answered for none of them, which says nothing of its answers. */
  | { kind: 'no_answer' };

/** Asks for each name at once, for its mail hosts and its address. One that is denied outweighs all that are found. */
export async function probeResolver(
  names: readonly CanonicalHost[],
  resolver: Pick<Resolver, 'mx' | 'ipv4'>,
  patience: Patience,
): Promise<ResolverFinding> {
  const answers = await Promise.all(
    names.map(async (name) => {
      const lookups = await Promise.all([resolver.mx(name, patience), resolver.ipv4(name, patience)]);
      return { name, answer: readAnswer(lookups) };
    }),
  );
  const denied = answers.filter(({ answer }) => answer === 'denied').map(({ name }) => name);
  if (denied.length > 0) return { kind: 'denies', names: denied };
  return answers.some(({ answer }) => answer === 'found') ? { kind: 'in_order' } : { kind: 'no_answer' };
}

function readAnswer(lookups: readonly Lookup<unknown>[]): 'found' | 'denied' | 'failed' {
  if (lookups.some(({ kind }) => kind === 'found')) return 'found';
  return lookups.some(({ kind }) => kind === 'failed') ? 'failed' : 'denied';
}

/**
 * Asks for the mail hosts of domains that take mail for certain, each at once. That a name is there is not enough: a
 * captive portal answers with an address to everything, and others with hosts that do not exist.
 */
export async function probeProviders(
  domains: readonly CanonicalHost[],
  findMailRoute: (domain: CanonicalHost, patience: Patience) => Promise<MailRoute>,
  patience: Patience,
): Promise<ResolverFinding> {
  const routes = await Promise.all(
    domains.map(async (domain) => ({ domain, route: await findMailRoute(domain, patience) })),
  );
  const denied = routes.filter(({ route }) => deniesMailHosts(route)).map(({ domain }) => domain);
  if (denied.length > 0) return { kind: 'denies', names: denied };
  return { kind: routes.some(({ route }) => route.kind === 'undetermined') ? 'no_answer' : 'in_order' };
}

/** An address in place of the mail hosts is what a captive portal answers to everything. */
export function deniesMailHosts(route: MailRoute): boolean {
  return route.kind === 'refuses_mail' || (route.kind === 'takes_mail' && route.implicit);
}
