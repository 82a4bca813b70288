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
 * What an operator should see at a glance: the outcomes of verifications, which mail hosts are left alone and why, which
 * routes are open, what waits, and which processes run. It may name mail hosts, but never recipients or their domains.
 */
export type Health = {
  verdicts: CountedVerdicts;
  resting: RestingParty[];
  routes: RouteHealth[];
  queue: Awaited<ReturnType<typeof readTaskQueue>>;
  processes: RunningProcess[];
  engine: EngineFigures;
  /** What is wrong with the trusted proxies, and what to do, if anything is. */
  proxyProblem: string | undefined;
};

/** A host, provider or network that is left alone for now, as far as the answering process knows. */
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
  /** What is wrong with outbound port 25, if anything. */
  mailPortProblem: string | undefined;
  /** Why public mail hosts are not asked under our own name, and what to do, if that is so. */
  identityProblem: string | undefined;
  /** What is wrong with the resolver and what to do about it, if anything is. */
  resolverProblem: string | undefined;
  /** Which providers refuse control mailboxes, if any do. */
  controlProblem: string | undefined;
  /** Which egress addresses are closed or banned, and what to do about it, if any are. */
  reputationProblem: string | undefined;
};

export type ReadHealthParts = ReadProcessesParts & {
  engine: Pick<Engine, 'counts' | 'health'>;
  /** The engine's clock, by which it tells how long a host is left alone. */
  clock: Pick<Clock, 'now'>;
  trustedProxies: readonly Cidr[];
};

/** The most that one page holds; those that are left alone longest come first. */
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

/** The pacer counts by address, network and group; a group is a provider or the domain of a mail host. */
export function partyOf(key: string): Pick<RestingParty, 'kind' | 'name'> {
  const [word = '', name = ''] = key.split(' ', 2);
  if (word === 'address' || word === 'network') return { kind: word, name };
  return { kind: providerIds.has(name) ? 'provider' : 'host', name };
}

/** A provider that bans an egress address of ours is left alone from there. */
export function banParty({ group: name, until }: EngineHealth['bans'][number]): RestingParty {
  return { ...partyOf(`group ${name}`), until, reason: 'provider_bans_us' satisfies ExplanationReason };
}

/** Parties that an outside prober leaves alone from its own address. Closed addresses stand among the probers. */
function partyAtProber(rest: ProberRest): RestingParty[] {
  const { kind, until } = rest;
  return kind === 'closed' || until === undefined ? [] : [{ ...nameAtProber({ ...rest, kind }), until }];
}

/** A ban is listed by the provider's name, as one of ours is; a route by the prober's and its own. */
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
