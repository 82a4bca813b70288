import { providerTable, type Engine } from '@mailproof/engine';
import { banParty, partyOf, routeHealth } from '../operator/read-health.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import type { MetricSample } from './create-metrics.ts';

/** What the engine of this process has sent, and what it sees of the world now. */
export function readEngineFigures(
  engine: Pick<Engine, 'counts' | 'health'>,
  wallClock: WallClock,
): MetricSample[] {
  const { dnsQueries, dnsFailures, forbidden, breaches, byRoute } = engine.counts();
  const { conversations, identity, mailPort, resolver, resting, routes, closed, bans } = engine.health();
  const labels = {};
  return [
    { key: 'conversationsOpen', labels, value: conversations.open },
    { key: 'probesWaiting', labels, value: conversations.waiting },
    { key: 'mailPortBlocked', labels, value: mailPort.kind === 'blocked' ? 1 : 0 },
    {
      key: 'identityUnproven',
      labels,
      value: identity.filter(({ problem }) => problem !== undefined).length,
    },
    { key: 'resolverInOrder', labels, value: resolver.kind === 'in_order' ? 1 : 0 },
    { key: 'dnsQueries', labels, value: dnsQueries },
    ...Object.entries(dnsFailures).map(([failure, value]): MetricSample => ({
      key: 'dnsFailures',
      labels: { failure },
      value,
    })),
    { key: 'egressRefusals', labels: { why: 'forbidden' }, value: forbidden },
    { key: 'egressRefusals', labels: { why: 'breach' }, value: breaches },
    ...byRoute.flatMap(({ id: route, opened, connected }): MetricSample[] => [
      { key: 'conversationsOpened', labels: { route }, value: opened },
      { key: 'conversationsConnected', labels: { route }, value: connected },
    ]),
    ...routes.map((route): MetricSample => {
      const { name, state } = routeHealth(route, closed, wallClock.now());
      return { key: 'routeOpen', labels: { route: name }, value: state === 'open' ? 1 : 0 };
    }),
    ...routes.map(({ id: route }): MetricSample => ({
      key: 'egressListed',
      labels: { route },
      value: closed.some(({ egress }) => egress === route) ? 1 : 0,
    })),
    ...bans.map((ban): MetricSample => {
      const { kind, name, reason } = banParty(ban);
      return {
        key: 'resting',
        labels: { kind, provider: providerIds.has(name) ? name : 'other', reason },
        value: 1,
      };
    }),
    ...resting.map(({ key, reason }): MetricSample => {
      const { kind, name } = partyOf(key);
      // A mail host's name says whose mail it takes, and there are as many as there are hosts.
      const provider = providerIds.has(name) ? name : 'other';
      return { key: 'resting', labels: { kind, provider, reason }, value: 1 };
    }),
  ];
}

const providerIds: ReadonlySet<string> = new Set(providerTable.map(({ id }) => id));
