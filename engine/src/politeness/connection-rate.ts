import type { Clock } from '../clock.ts';
import { isFields } from '../memory.ts';
import { isRunning, type EgressCount, type HostHistory, type HostHistories } from './host-history.ts';
import type { Politeness } from './policy.ts';

/**
 * When the next connection may be opened to one address or group, from one of our egress addresses.
 *
 * A host must not see more than its limit in any minute, even if the owner of the egress address dies within that
 * minute and its counts are lost. So the minute is cut in halves. No thirty seconds hold more than half of the limit
 * (rounded up). A new owner begins no earlier than thirty seconds after its predecessor could last begin, and in its
 * own first thirty seconds it opens no more than the other half (rounded down). A minute that holds connections of
 * both holds thirty seconds of either at most.
 *
 * The host counts a connection when it sees it, which is not when we open it: packets are sent again, and a busy
 * host takes its time. So the minute of a connection begins when the host has answered, and until then it is always
 * now. A host once saw 31 of our connections in a minute that allowed 30, because some opened a minute apart arrived
 * in less. `change-of-owner.test.ts` holds all of this.
 *
 * Without other processes there is no next owner but this one after a restart, so the minute is not cut.
 *
 * An owner that writes its counts down every few seconds spares the next one that wait. Only the connections that it
 * can have opened after its last note are unknown then, and as many are assumed to have arrived at each host.
 */
export const minuteMs = 60_000;
export const halfMinuteMs = 30_000;

/** How this process came by an egress address. */
export type Takeover = {
  at: number;
  /**
   * After the death of an owner of which nothing is known: when conversations may begin again, half a minute after
   * its last.
   */
  beginsAt: number | undefined;
  /** The most that a predecessor opened, in the minute before `at`, to any host that it did not name. */
  unnamedAtMost: number;
  /** Times in which owners that died may have opened connections that were not written down. */
  uncounted: readonly Uncounted[];
};

/** The time from an owner's last note until it lost the right to begin, at `until`. */
type Uncounted = { until: number; forMs: number };

type RateParts = {
  politeness: Politeness;
  takeover: Takeover | undefined;
  clock: Clock;
  /** Whether another process may take the egress address over. */
  sharesEgress: boolean;
};

export function nextConnection(
  count: EgressCount,
  slow: HostHistory['slow'],
  { politeness, takeover, clock, sharesEgress }: RateParts,
): number {
  const isSlow = isRunning(slow, clock);
  const perMinute = isSlow ? slow.perMinute : politeness.connectionsPerMinute;
  const gapMs = Math.max(1_000 / politeness.connectionsPerSecond, isSlow ? minuteMs / perMinute : 0);
  const uncounted = uncountedIn(takeover, clock);
  const lastOpenedAt = uncounted.reduce((last, { until }) => Math.max(last, until), count.lastOpenedAt);
  const afterGap = lastOpenedAt + gapMs;
  if (!Number.isFinite(perMinute)) return afterGap;
  const most = { perHalf: sharesEgress ? Math.ceil(perMinute / 2) : perMinute, gapMs };
  const known = uncounted.length === 0 ? count : withUncounted(count, uncounted, most);
  const afterMinute = lastBut(perMinute, known, clock) + minuteMs;
  const afterHalf = sharesEgress ? lastBut(most.perHalf, known, clock) + halfMinuteMs : -Infinity;
  return Math.max(afterGap, afterMinute, afterHalf, afterFirstHalf(count, takeover, perMinute));
}

const none: readonly never[] = [];

function uncountedIn(takeover: Takeover | undefined, clock: Clock): readonly Uncounted[] {
  if (takeover === undefined || takeover.uncounted.length === 0) return none;
  return takeover.uncounted.filter(({ until }) => clock.now() - until < minuteMs);
}

type Arrivals = Pick<EgressCount, 'arriving' | 'arrivedAt'>;

/**
 * Adds the connections that owners that died can have opened unnoticed: one in each gap, and no more than half a
 * minute holds.
 */
function withUncounted(
  { arriving, arrivedAt }: Arrivals,
  uncounted: readonly Uncounted[],
  { perHalf, gapMs }: { perHalf: number; gapMs: number },
): Arrivals {
  const added = uncounted.flatMap(({ until, forMs }) =>
    Array<number>(Math.min(perHalf, Math.floor(forMs / gapMs) + 1)).fill(until),
  );
  return { arriving, arrivedAt: [...arrivedAt, ...added].sort((one, other) => one - other) };
}

/**
 * Returns when the last connection but `number` had arrived; connections on their way may arrive now, and no
 * earlier.
 */
function lastBut(number: number, { arriving, arrivedAt }: Arrivals, clock: Clock): number {
  return number <= arriving ? clock.now() : (arrivedAt.at(arriving - number) ?? -Infinity);
}

/** Returns when a new owner that knows nothing may go on: after the first half minute, if it has used up its part. */
function afterFirstHalf(
  { arriving, arrivedAt }: EgressCount,
  takeover: Takeover | undefined,
  perMinute: number,
): number {
  const { beginsAt } = takeover ?? {};
  if (beginsAt === undefined) return -Infinity;
  const opened = arriving + arrivedAt.filter((at) => at >= beginsAt).length;
  return opened < Math.floor(perMinute / 2) ? beginsAt : beginsAt + halfMinuteMs;
}

export function noteOpening(count: EgressCount, now: number): void {
  count.arriving += 1;
  count.lastOpenedAt = now;
}

export function noteArrival(count: EgressCount, now: number): void {
  const { arrivedAt } = count;
  count.arriving -= 1;
  // Most hosts see one connection of ours in a minute: the list is no longer than that, until a second comes.
  if (arrivedAt.length === 0) count.arrivedAt = [now];
  else arrivedAt.push(now);
  while ((arrivedAt[0] ?? Infinity) <= now - minuteMs) arrivedAt.shift();
}

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
  /**
   * Of owners before it that died: how long ago each lost the right to begin, and for how long it wrote nothing
   * down.
   */
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
