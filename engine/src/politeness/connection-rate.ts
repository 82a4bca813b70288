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
 * both holds thirty seconds of either at most. `change-of-owner.test.ts` holds this.
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
};

type RateRequest = { count: EgressCount; slow: HostHistory['slow']; takeover: Takeover | undefined };

export function nextConnection(
  { count: { openedAt }, slow, takeover }: RateRequest,
  politeness: Politeness,
  clock: Clock,
): number {
  const isSlow = isRunning(slow, clock);
  const perMinute = isSlow ? slow.perMinute : politeness.connectionsPerMinute;
  const gapMs = Math.max(1_000 / politeness.connectionsPerSecond, isSlow ? minuteMs / perMinute : 0);
  const afterGap = (openedAt.at(-1) ?? -Infinity) + gapMs;
  if (!Number.isFinite(perMinute)) return afterGap;
  const afterMinute = (openedAt.at(-perMinute) ?? -Infinity) + minuteMs;
  const afterHalf = (openedAt.at(-Math.ceil(perMinute / 2)) ?? -Infinity) + halfMinuteMs;
  return Math.max(afterGap, afterMinute, afterHalf, afterFirstHalf(openedAt, takeover, perMinute));
}

/** When a new owner that knows nothing may go on: once the first half minute is over, where it has used up its part. */
function afterFirstHalf(openedAt: number[], takeover: Takeover | undefined, perMinute: number): number {
  const { beginsAt } = takeover ?? {};
  if (beginsAt === undefined) return -Infinity;
  const opened = openedAt.filter((at) => at >= beginsAt).length;
  return opened < Math.floor(perMinute / 2) ? beginsAt : beginsAt + halfMinuteMs;
}

export function noteConnection({ openedAt }: EgressCount, clock: Clock): void {
  openedAt.push(clock.now());
  while ((openedAt[0] ?? Infinity) <= clock.now() - minuteMs) openedAt.shift();
}
