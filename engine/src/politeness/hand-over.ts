import type { Clock } from '../clock.ts';
import { isFields } from '../memory.ts';
import { halfMinuteMs, minuteMs, type Takeover, type Uncounted } from './connection-rate.ts';
import type { EgressCount, HostHistories } from './host-history.ts';

/**
 * The counts of an egress address for its next owner: connections of the last minute, and how far each host had grown.
 * An owner leaves them when it stops, and writes them down every few seconds in case it dies. Rests are shared as they
 * come and need not be handed over.
 */
export type HandOver = {
  hosts: [key: string, left: LeftHost][];
  /** The most connections in the last minute to any host that is not among them. */
  unnamedAtMost: number;
  /** When the leaving owner itself began, if it was within its first half minute after a death; else `null`. */
  begunMs: number | null;
  /** Of owners before it that died: how long ago each lost the right to begin, and for how long it wrote nothing down. */
  uncounted?: { agoMs: number; forMs: number }[];
};

type LeftHost = { ages: number[]; allowed: number | null; clean: number };

/** The hosts with most connections are named; for all others the next owner gets one upper bound. */
const mostNamed = 5_000;

/** Deaths within one minute that are handed on. */
const mostUncounted = 10;

type WriteNeeds = {
  histories: HostHistories;
  takeover: Takeover | undefined;
  clock: Clock;
  /** How many hosts to name. */
  most?: number | undefined;
};

export function writeHandOver(
  egress: string,
  { histories, takeover, clock, most = mostNamed }: WriteNeeds,
): HandOver {
  const now = clock.now();
  const hosts: HandOver['hosts'] = [];
  for (const [key, { from, allowed = null, clean }] of histories.entries()) {
    const count = from.find((one) => one.egress === egress);
    const ages = count === undefined ? [] : agesOf(count, now);
    if (ages.length > 0) hosts.push([key, { ages, allowed, clean }]);
  }
  hosts.sort(([, one], [, other]) => other.ages.length - one.ages.length);
  // This owner hands on the news that it was given when it came.
  const told = takeover !== undefined && now - takeover.at < minuteMs ? takeover.unnamedAtMost : 0;
  const begunMs = Math.floor(now - (takeover?.beginsAt ?? -Infinity));
  const uncounted = (takeover?.uncounted ?? [])
    .map(({ until, forMs }) => ({ agoMs: Math.max(0, Math.floor(now - until)), forMs }))
    .filter(({ agoMs }) => agoMs < minuteMs)
    .slice(-mostUncounted);
  return {
    hosts: hosts.slice(0, most),
    unnamedAtMost: told + (hosts[most]?.[1].ages.length ?? 0),
    begunMs: begunMs < halfMinuteMs ? begunMs : null,
    ...(uncounted.length === 0 ? {} : { uncounted }),
  };
}

/** Returns how long ago each connection of the last minute arrived; connections on their way may arrive now. */
function agesOf({ arriving, arrivedAt }: EgressCount, now: number): number[] {
  const ages = arrivedAt.map((at) => Math.floor(now - at)).filter((age) => age < minuteMs);
  return [...ages, ...Array<number>(arriving).fill(0)];
}

/** How far two machines' clocks may differ; a connection is taken for later rather than for earlier. */
const clockSlackMs = 100;

type HandOverNeeds = {
  histories: HostHistories;
  countFor: (key: string) => EgressCount;
  clock: Clock;
};

/** Takes in counts that were left `agoMs` ago. */
export function takeHandOver(
  { hosts, unnamedAtMost, begunMs, uncounted: told = [] }: HandOver,
  agoMs: number,
  { histories, countFor, clock }: HandOverNeeds,
): Takeover {
  const now = clock.now();
  const pointOf = (age: number): number => now - Math.max(0, age + agoMs - clockSlackMs);
  for (const [key, { ages, allowed, clean }] of hosts) {
    const count = countFor(key);
    count.arrivedAt = ages.map(pointOf);
    count.lastOpenedAt = count.arrivedAt.at(-1) ?? -Infinity;
    const history = histories.of(key);
    history.allowed = allowed ?? history.allowed;
    history.clean = Math.max(clean, history.clean);
  }
  // An owner that had not begun yet leaves a point in the future.
  const beginsAt = begunMs === null ? undefined : begunMs < 0 ? now - begunMs - agoMs : pointOf(begunMs);
  const uncounted = told.map(({ agoMs: age, forMs }): Uncounted => ({ until: pointOf(age), forMs }));
  return { at: now, beginsAt, unnamedAtMost, uncounted };
}

/** Reads a hand-over from a store, which is not trusted; `undefined` if it cannot be read. */
export function readHandOver(value: unknown): HandOver | undefined {
  if (!isFields(value)) return undefined;
  const { hosts: written, unnamedAtMost, begunMs, uncounted = [] } = value;
  if (!Array.isArray(written) || written.length > mostNamed || !isCount(unnamedAtMost)) return undefined;
  if (begunMs !== null && !Number.isSafeInteger(begunMs)) return undefined;
  const hosts = written.map(readHost).filter((host) => host !== undefined);
  if (hosts.length < written.length || !Array.isArray(uncounted)) return undefined;
  if (uncounted.length > mostUncounted || !uncounted.every(isUncounted)) return undefined;
  return { hosts, unnamedAtMost, begunMs: begunMs as number | null, uncounted };
}

function isUncounted(value: unknown): value is { agoMs: number; forMs: number } {
  return isFields(value) && isCount(value['agoMs']) && isCount(value['forMs']);
}

function readHost(value: unknown): HandOver['hosts'][number] | undefined {
  const [key, left] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof key !== 'string' || !/^(?:address|group) ./.test(key) || !isFields(left)) return undefined;
  const { ages, allowed, clean } = left;
  if (!Array.isArray(ages) || !ages.every(isCount) || !isCount(clean)) return undefined;
  return [key, { ages, allowed: isCount(allowed) ? allowed : null, clean }];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
