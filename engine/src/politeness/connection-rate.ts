import type { Clock } from '../clock.ts';
import type { EgressCount, HostHistory } from './host-history.ts';
import { isRunning } from './host-history.ts';
import type { Politeness } from './policy.ts';

/**
 * When the next connection may be opened to one address or group, from one of our egress addresses.
 *
 * A host must not see more than its limit in any minute, even where the owner of the egress address dies within that
 * minute and takes what it counted along. So the minute is cut in halves: no thirty seconds hold more than half of the
 * limit (rounded up), a new owner begins no earlier than thirty seconds after its predecessor could last begin, and in
 * its own first thirty seconds it opens no more than the other half (rounded down). A minute that holds connections of
 * both holds thirty seconds of either at most.
 *
 * What counts is when the host sees a connection, which is not when we open it: packets are sent again, and a busy host
 * takes its time. So the minute of a connection begins when the host has answered, and until then it is always now. That
 * connections opened a minute apart arrived in less is what a host once saw of us: 31 of 30. `change-of-owner.test.ts`
 * holds all of this.
 *
 * Without other processes there is no next owner but this one after a restart, so the minute is not cut.
 *
 * An owner that writes down what it counts every few seconds spares the next one that wait. Only the connections that it
 * can have opened after its last note are unknown then, and as many are taken to have arrived at each host.
 */
export const minuteMs = 60_000;
export const halfMinuteMs = 30_000;

/** How this process came by an egress address. */
export type Takeover = {
  at: number;
  /**
   * Where an owner died before, of whom nothing is known: when conversations may begin again, which is half a minute
   * after its last.
   */
  beginsAt: number | undefined;
  /** The most that a predecessor opened, in the minute before `at`, to any host that it did not name. */
  unnamedAtMost: number;
  /** Times in which owners that died may have opened connections that nobody wrote down. */
  uncounted: readonly Uncounted[];
};

/** From the last that an owner wrote down until it lost the right to begin, at `until`. */
export type Uncounted = { until: number; forMs: number };

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

/** Adds what owners that died can have opened unnoticed: one in each gap, and no more than half a minute holds. */
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

/** When the last connection but so many had arrived; what is still on its way may arrive now, and no earlier. */
function lastBut(number: number, { arriving, arrivedAt }: Arrivals, clock: Clock): number {
  return number <= arriving ? clock.now() : (arrivedAt.at(arriving - number) ?? -Infinity);
}

/** When a new owner that knows nothing may go on: once the first half minute is over, where it has used up its part. */
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
  // Most hosts see one connection of us in a minute: the list is no longer than that, until a second comes.
  if (arrivedAt.length === 0) count.arrivedAt = [now];
  else arrivedAt.push(now);
  while ((arrivedAt[0] ?? Infinity) <= now - minuteMs) arrivedAt.shift();
}
