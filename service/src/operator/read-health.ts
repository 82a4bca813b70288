import { providerTable, type Clock, type Engine } from '@mailproof/engine';
import { readVerdictCounts, type CountedVerdicts } from '../statistics/read-verdict-counts.ts';
import { readProcesses, type ReadProcessesParts, type RunningProcess } from './read-processes.ts';
import { readQueue, type Queue } from './read-queue.ts';

/**
 * What an operator should see at a glance: how verifications come out, who is left alone and why, which ways out are
 * open, what waits, and who works. Names of mail hosts may be in it, addresses and domains of recipients may not.
 */
export type Health = {
  verdicts: CountedVerdicts;
  resting: RestingParty[];
  routes: RouteHealth[];
  queue: Queue;
  processes: RunningProcess[];
  engine: EngineFigures;
};

/** Somebody we leave alone, as the process that is asked knows it. */
export type RestingParty = {
  kind: 'host' | 'provider' | 'network' | 'address';
  name: string;
  until: number;
  reason: string;
};

export type RouteHealth = {
  name: string;
  state: 'open' | 'resting' | 'spent' | 'down';
  until?: number;
  reason?: string;
};

export type EngineFigures = ReturnType<Engine['counts']> & {
  conversationsOpen: number;
  conversationsWaiting: number;
  /** What is wrong with outbound port 25, while it is. */
  mailPortProblem: string | undefined;
};

export type ReadHealthParts = ReadProcessesParts & {
  engine: Pick<Engine, 'counts' | 'health'>;
  /** The engine's, which rests are told in. */
  clock: Pick<Clock, 'now'>;
};

/** A bound on what one page holds; those that rest longest come first. */
const mostResting = 500;

export async function readHealth(hours: number, parts: ReadHealthParts): Promise<Health> {
  const { engine } = parts;
  const { resting, routes, mailPort, conversations } = engine.health();
  const now = parts.wallClock.now();
  const toWall = (at: number) => Math.round(now + at - parts.clock.now());
  return {
    verdicts: await readVerdictCounts(hours, parts),
    resting: resting
      .map(({ key, reason, untilMs }) => ({ ...partyOf(key), until: toWall(untilMs), reason }))
      .sort((a, b) => b.until - a.until)
      .slice(0, mostResting),
    routes: routes.map((route) => routeHealth(route, now)),
    queue: await readQueue(parts),
    processes: await readProcesses(parts),
    engine: {
      ...engine.counts(),
      conversationsOpen: conversations.open,
      conversationsWaiting: conversations.waiting,
      mailPortProblem: mailPort.kind === 'blocked' ? mailPort.message : undefined,
    },
  };
}

const providerIds: ReadonlySet<string> = new Set(providerTable.map(({ id }) => id));

/** The pacer counts by address, network and group; a group is a provider or the domain of a mail host. */
function partyOf(key: string): Pick<RestingParty, 'kind' | 'name'> {
  const [word = '', name = ''] = key.split(' ', 2);
  if (word === 'address' || word === 'network') return { kind: word, name };
  return { kind: providerIds.has(name) ? 'provider' : 'host', name };
}

type RouteState = ReturnType<Engine['health']>['routes'][number];

function routeHealth(route: RouteState, now: number): RouteHealth {
  const { id: name, problem, restingUntil, dayLimit, openedToday } = route;
  if (problem !== undefined) return { name, state: 'down', reason: problem };
  if (restingUntil !== undefined && restingUntil > now) {
    return { name, state: 'resting', until: restingUntil, reason: 'providers block it' };
  }
  if (dayLimit !== undefined && openedToday >= dayLimit)
    return { name, state: 'spent', reason: 'the day’s volume' };
  return { name, state: 'open' };
}
