import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/create-resolver.ts';
import type { MailRoutes } from '../dns/open-mail-routes.ts';
import type { Limits } from '../limits.ts';
import type { Cidr } from '../net/parse-cidr.ts';
import { routesOr, type PolicyFile } from '../politeness/policy-file.ts';
import { identityUnchecked, watchIdentity, type IdentityWatch } from './watch-identity.ts';

type IdentitySettings = {
  heloName: string;
  mailFrom: string;
  publicAddresses?: readonly string[];
  identityCheck?: 'on' | 'off';
  egressAllow: readonly Cidr[];
  policyFile?: Pick<PolicyFile, 'routes'> | undefined;
  onProblem(message: string): void;
};

type IdentityNeeds = {
  clock: Clock;
  limits: Limits;
  resolver: DnsResolver;
  mailRoutes: MailRoutes;
  /** Which routes are this process's own, and when that changes. */
  rights: { of(route: string): string; onChange(listener: () => void): void };
};

/**
 * Watches whether our own HELO names and senders are ours. They are looked up as soon as a route is this process's own;
 * if the operator opened blocks, not before the first public mail host is to be asked, which may never be.
 */
export function openIdentity(settings: IdentitySettings, needs: IdentityNeeds): IdentityWatch {
  if (settings.identityCheck === 'off') return identityUnchecked;
  const { heloName, mailFrom, publicAddresses = [] } = settings;
  const { clock, limits, resolver, mailRoutes, rights } = needs;
  const routes = routesOr(settings.policyFile?.routes);
  const watch = watchIdentity({
    routes,
    defaults: { heloName, mailFrom },
    publicAddresses,
    resolver: resolver.uncached,
    findMailRoute: (domain, patience) => mailRoutes.find(domain, patience),
    clock,
    limits,
    onProblem: (message) => settings.onProblem(message),
  });
  if (settings.egressAllow.length > 0) return watch;
  const beginOwn = (): void =>
    watch.begin(routes.flatMap(({ id }) => (rights.of(id) === 'ours' ? [id] : [])));
  rights.onChange(beginOwn);
  beginOwn();
  return watch;
}
