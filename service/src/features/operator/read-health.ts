import { providerTable, type Cidr, type Clock, type Engine, type ExplanationReason } from '@mailproof/engine';
import { readVerdictCounts, type CountedVerdicts } from './statistics/read-verdict-counts.ts';
import { readTaskQueue } from '../../core/verify/tasks/read-task-queue.ts';
import { readProberRests, type ProberRest } from '../probers/prober-rests.ts';
import {
  describeClosure,
  describeIdentity,
  describeReputation,
  describeResolver,
} from '../../core/upkeep/closures.ts';
import { readProxyProblem } from './proxy-notice.ts';
import { readProcesses, type ReadProcessesParts, type RunningProcess } from './read-processes.ts';

/**
 * Health for the operator at a glance: outcomes of verifications, mail hosts at rest with reasons, open routes, queues,
 * and processes. It may name mail hosts, but never recipients or their domains.
 */
export type Health = {
  verdicts: CountedVerdicts;
  resting: RestingParty[];
  routes: RouteHealth[];
  queue: Awaited<ReturnType<typeof readTaskQueue>>;
  processes: RunningProcess[];
  engine: EngineFigures;
  /** Problem of the trusted proxies with its remedy, if any. */
  proxyProblem: string | undefined;
};

/** A host, provider or network at rest, as far as the answering process knows. */
export type RestingParty = {
  kind: 'host' | 'provider' | 'network' | 'address' | 'route';
  name: string;
  until: number;
  reason: string;
};

export type RouteHealth = {
  name: string;
  state: 'open' | 'closed' | 'resting' | 'spent' | 'down';
  until?: number;
  reason?: string;
};

export type EngineFigures = ReturnType<Engine['counts']> & {
  conversationsOpen: number;
  conversationsWaiting: number;
  /** Problem of outbound port 25, if any. */
  mailPortProblem: string | undefined;
  /** Why public mail hosts are not asked under our own name, with the remedy, if so. */
  identityProblem: string | undefined;
  /** Problem of the resolver with its remedy, if any. */
  resolverProblem: string | undefined;
  /** Providers that refuse control mailboxes, if any. */
  controlProblem: string | undefined;
  /** Closed or banned egress addresses with the remedy, if any. */
  reputationProblem: string | undefined;
};

export type ReadHealthParts = ReadProcessesParts & {
  engine: Pick<Engine, 'counts' | 'health'>;
  /** The engine's clock, on which rests end. */
  clock: Pick<Clock, 'now'>;
  trustedProxies: readonly Cidr[];
};

/** Most per page; the longest rests come first. */
const mostResting = 500;

export async function readHealth(hours: number, parts: ReadHealthParts): Promise<Health> {
  const { engine } = parts;
  const health = engine.health();
  const { resting, routes, mailPort, identity, resolver, conversations, doubtedProviders, bans } = health;
  const reputation = describeReputation(health);
  const now = parts.wallClock.now();
  const toWall = (at: number) => Math.round(now + at - parts.clock.now());
  return {
    verdicts: await readVerdictCounts(hours, parts),
    resting: [
      ...resting.map(({ key, reason, untilMs }) => ({ ...partyOf(key), until: toWall(untilMs), reason })),
      ...bans.map(banParty),
      ...(await readProberRests(parts.store.read, now)).flatMap(partyAtProber),
    ]
      .sort((a, b) => b.until - a.until)
      .slice(0, mostResting),
    routes: routes.map((route) => routeHealth(route, health.closed, now)),
    queue: await readTaskQueue(parts),
    processes: await readProcesses(parts),
    proxyProblem: await readProxyProblem(parts),
    engine: {
      ...engine.counts(),
      conversationsOpen: conversations.open,
      conversationsWaiting: conversations.waiting,
      mailPortProblem: mailPort.kind === 'blocked' ? mailPort.message : undefined,
      identityProblem: describeIdentity(identity),
      resolverProblem: describeResolver(resolver),
      reputationProblem: reputation.length === 0 ? undefined : reputation.join('; '),
      controlProblem:
        doubtedProviders.length === 0
          ? undefined
          : `${doubtedProviders.join(', ')}: control mailboxes are rejected, so "no such mailbox" is not believed`,
    },
  };
}

const providerIds: ReadonlySet<string> = new Set(providerTable.map(({ id }) => id));

/**
 * Splits the pacer's key. The pacer counts by address, network and group; a group is a provider or the domain of a mail
 * host.
 */
export function partyOf(key: string): Pick<RestingParty, 'kind' | 'name'> {
  const [word = '', name = ''] = key.split(' ', 2);
  if (word === 'address' || word === 'network') return { kind: word, name };
  return { kind: providerIds.has(name) ? 'provider' : 'host', name };
}

/** A provider that bans one of our egress addresses is at rest for that address. */
export function banParty({ group: name, until }: EngineHealth['bans'][number]): RestingParty {
  return { ...partyOf(`group ${name}`), until, reason: 'provider_bans_us' satisfies ExplanationReason };
}

/** Returns the parties at rest for an outside prober's own address. Closed addresses are listed with the probers. */
function partyAtProber(rest: ProberRest): RestingParty[] {
  const { kind, until } = rest;
  return kind === 'closed' || until === undefined ? [] : [{ ...nameAtProber({ ...rest, kind }), until }];
}

/** Names a ban by the provider, like our own; a route by the prober and its own name. */
export function nameAtProber({
  kind,
  name,
  group = '',
  reason,
}: ProberRest & { kind: 'banned' | 'blocked' }): Omit<RestingParty, 'until'> {
  return kind === 'blocked'
    ? { kind: 'route', name, reason }
    : { ...partyOf(`group ${group}`), reason: `${reason} (${name})` };
}

type EngineHealth = ReturnType<Engine['health']>;

export function routeHealth(
  route: EngineHealth['routes'][number],
  closed: EngineHealth['closed'],
  now: number,
): RouteHealth {
  const { id: name, problem, restingUntil, dayLimit, openedToday } = route;
  const closure = closed.find(({ egress }) => egress === name)?.closure;
  if (closure !== undefined) {
    const until = closure.kind === 'suspected' ? { until: closure.until } : {};
    return { name, state: 'closed', reason: describeClosure(closure), ...until };
  }
  if (problem !== undefined) return { name, state: 'down', reason: problem };
  if (restingUntil !== undefined && restingUntil > now) {
    return { name, state: 'resting', until: restingUntil, reason: 'providers block it' };
  }
  if (dayLimit !== undefined && openedToday >= dayLimit)
    return { name, state: 'spent', reason: 'the day’s volume' };
  return { name, state: 'open' };
}
