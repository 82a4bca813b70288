import type { DnsResolver } from '../dns/create-resolver.ts';
import { seenAddresses } from '../egress/seen-addresses.ts';
import type { RouteSetting } from '../politeness/policy-file.ts';
import { routesOr } from '../politeness/policy-file.ts';
import { createReputation, type Reputation, type ReputationParts } from './create-reputation.ts';

/** The settings of an engine that matter here. */
type ReputationSettings = {
  pacing?: 'on' | 'off';
  blockLists?: readonly string[];
  publicAddresses?: readonly string[];
  policyFile?: { routes: readonly RouteSetting[] } | undefined;
  onProblem(message: string): void;
};

type Needs = Pick<ReputationParts, 'clock' | 'limits' | 'rights' | 'memory'> & {
  resolver: Pick<DnsResolver, 'uncached'>;
};

/** Watches the egress addresses that an engine is set up with. Like every limit, it rests where pacing is off. */
export function openReputation(
  settings: ReputationSettings,
  { resolver, ...needs }: Needs,
): Reputation | undefined {
  if (settings.pacing === 'off') return undefined;
  const stated = settings.policyFile?.routes ?? [];
  const routes = routesOr(stated);
  return createReputation({
    ...needs,
    wallClock: Date,
    lists: settings.blockLists ?? [],
    egress: routes.map(({ id }) => id),
    addressesOf: async (egress) => {
      const route = routes.find(({ id }) => id === egress);
      return route === undefined ? [] : seenAddresses(route, { stated: settings.publicAddresses ?? [] });
    },
    askIpv4: (name, patience) => resolver.uncached.ipv4(name, patience),
    onProblem: (message) => settings.onProblem(message),
  });
}
