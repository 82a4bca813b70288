import type { Clock } from '../clock.ts';
import type { EgressCount, HostHistory } from './host-history.ts';
import { isRunning } from './host-history.ts';
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
