import type { Clock } from '../clock.ts';
import { isFields } from '../memory.ts';
import { halfMinuteMs, minuteMs, type Takeover } from './connection-rate.ts';
import type { EgressCount, HostHistories } from './host-history.ts';

/**
 * What the owner of an egress address leaves to the next one when it stops: the connections of the last minute, and
 * how far it had come with each host. Rests are shared as they come and need not be handed over.
 */
export type HandOver = {
  hosts: [key: string, left: LeftHost][];
  /** The most connections in the last minute to any host that is not among them. */
  unnamedAtMost: number;
  /** When the one that leaves began itself, where it was within its first half minute after a death; else `null`. */
  begunMs: number | null;
};

type LeftHost = { ages: number[]; allowed: number | null; clean: number };

/** Those with most connections are named; of all others the next one knows what they had at most. */
const mostNamed = 5_000;

type WriteNeeds = { histories: HostHistories; takeover: Takeover | undefined; clock: Clock };

export function writeHandOver(egress: string, { histories, takeover, clock }: WriteNeeds): HandOver {
  const now = clock.now();
  const hosts: HandOver['hosts'] = [];
  for (const [key, { from, allowed = null, clean }] of histories.entries()) {
    const count = from.find((one) => one.egress === egress);
    const ages = count === undefined ? [] : agesOf(count, now);
    if (ages.length > 0) hosts.push([key, { ages, allowed, clean }]);
  }
  hosts.sort(([, one], [, other]) => other.ages.length - one.ages.length);
  // What this owner was told when it came, it tells the next.
  const told = takeover !== undefined && now - takeover.at < minuteMs ? takeover.unnamedAtMost : 0;
  const begunMs = Math.floor(now - (takeover?.beginsAt ?? -Infinity));
  return {
    hosts: hosts.slice(0, mostNamed),
    unnamedAtMost: told + (hosts[mostNamed]?.[1].ages.length ?? 0),
    begunMs: begunMs < halfMinuteMs ? begunMs : null,
  };
}

/** How long ago each of the last minute arrived; what has not may arrive now. */
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

/** Takes in what was left `agoMs` ago. */
export function takeHandOver(
  { hosts, unnamedAtMost, begunMs }: HandOver,
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
  // One that had not begun yet leaves a point in the future.
  const beginsAt = begunMs === null ? undefined : begunMs < 0 ? now - begunMs - agoMs : pointOf(begunMs);
  return { at: now, beginsAt, unnamedAtMost };
}

/** It comes from a store and is not trusted; `undefined` where it cannot be read. */
export function readHandOver(value: unknown): HandOver | undefined {
  if (!isFields(value)) return undefined;
  const { hosts: written, unnamedAtMost, begunMs } = value;
  if (!Array.isArray(written) || written.length > mostNamed || !isCount(unnamedAtMost)) return undefined;
  if (begunMs !== null && !Number.isSafeInteger(begunMs)) return undefined;
  const hosts = written.map(readHost).filter((host) => host !== undefined);
  if (hosts.length < written.length) return undefined;
  return { hosts, unnamedAtMost, begunMs: begunMs as number | null };
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
