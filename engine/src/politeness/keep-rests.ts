import type { Clock } from '../clock.ts';
import { isFields, type MemoryNamespace } from '../memory.ts';
import { isRunning, type HostHistories, type HostHistory } from './host-history.ts';

/**
 * Rests outlive a restart and are shared between engines. A host that is left alone stays left alone. And a host
 * that has put us off again and again is remembered as such, for an hour after its rest or until it has done better.
 * An entry counts from the moment it was kept, so it needs no clock of its own. The names of the fields are stored.
 */
type KeptRest = {
  restMs: number;
  reason: string;
  slowMs: number;
  perMinute: number;
  failures: number;
  silences: number;
};

export function keepRest(key: string, history: HostHistory, keep: Keep): void {
  const kept = describeRest(history, keep.clock);
  const { restMs, slowMs } = kept;
  if (restMs > 0 || slowMs > 0) keep.memory.learn(key, kept, Math.max(restMs, slowMs) + afterwardsMs);
}

function describeRest({ rest, slow, failures, silences }: HostHistory, clock: Clock): KeptRest {
  const now = clock.now();
  return {
    restMs: Math.max(0, Math.round((rest?.until ?? now) - now)),
    reason: rest?.reason ?? '',
    slowMs: Math.max(0, Math.round((slow?.until ?? now) - now)),
    perMinute: slow?.perMinute ?? 0,
    failures,
    silences,
  };
}

/** Forgets the rest of a host that has done better. */
export function forgetRest(key: string, { memory }: Pick<Keep, 'memory'>): void {
  memory.learn(key, null, 0);
}

const afterwardsMs = 3_600_000;

type Keep = { clock: Clock; memory: MemoryNamespace };

/** Takes in the kept rests, and from then on the rests that other engines learn. */
export function followRests(histories: HostHistories, { clock, memory }: Keep): void {
  memory.follow(({ key, value, lifeMs }) => {
    if (!/^(?:address|group) ./.test(key)) return;
    if (isEnded(value)) {
      endRest(histories.of(key), clock);
      return;
    }
    const kept = value === null ? forgotten : readRest(value);
    if (kept === undefined) return;
    const lived = value === null ? 0 : Math.max(kept.restMs, kept.slowMs) + afterwardsMs;
    hearRest(histories.of(key), { kept, sinceMs: Math.max(0, lived - lifeMs) }, clock);
  });
}

/** Stands in the memory in place of a rest that the operator has ended. Every engine that reads it ends its own. */
export const endedRest = { ended: true } as const;

function isEnded(value: unknown): boolean {
  return isFields(value) && value['ended'] === true;
}

/** Ends a rest. The host is met as after its rest: with one conversation at a time, and with its past forgotten. */
function endRest(history: HostHistory, clock: Clock): void {
  const counts = { countedAt: clock.now(), failures: 0, silences: 0 };
  Object.assign(history, {
    ...counts,
    rest: undefined,
    slow: undefined,
    allowed: 1,
    clean: 0,
    complaints: [],
  });
}

/** Reads how much of a kept rest is left; nothing if it is over. */
export function readKeptRest(value: unknown, lifeMs: number): { reason: string; leftMs: number } | undefined {
  const kept = readRest(value);
  if (kept === undefined) return undefined;
  const agoMs = Math.max(0, Math.max(kept.restMs, kept.slowMs) + afterwardsMs - lifeMs);
  const leftMs = kept.restMs - agoMs;
  return leftMs > 0 ? { reason: kept.reason, leftMs } : undefined;
}

const forgotten: KeptRest = { restMs: 0, reason: '', slowMs: 0, perMinute: 0, failures: 0, silences: 0 };

/** Merges a history with a report about it that is `sinceMs` old. */
function hearRest(history: HostHistory, said: { kept: KeptRest; sinceMs: number }, clock: Clock): void {
  const news = newsOf(said, clock);
  const known: RestNews = {
    at: history.countedAt,
    rest: isRunning(history.rest, clock) ? history.rest : undefined,
    slow: isRunning(history.slow, clock) ? history.slow : undefined,
    failures: history.failures,
    silences: history.silences,
  };
  const { at, rest, slow, failures, silences } = mergeRests(known, news);
  Object.assign(history, { countedAt: at, rest, slow, failures, silences });
  // After a rest every process meets the host with one conversation at a time.
  const isBad = news.rest !== undefined || news.slow !== undefined || news.failures > 0;
  if (isBad && news.at >= known.at) Object.assign(history, { allowed: 1, clean: 0, complaints: [] });
}

function newsOf({ kept, sinceMs }: { kept: KeptRest; sinceMs: number }, clock: Clock): RestNews {
  const { restMs, slowMs, reason, perMinute, failures, silences } = kept;
  const at = clock.now() - sinceMs;
  return {
    at,
    rest: restMs > sinceMs ? { until: at + restMs, reason } : undefined,
    slow: slowMs > sinceMs && perMinute >= 1 ? { until: at + slowMs, perMinute } : undefined,
    failures,
    silences,
  };
}

/** The longest rest that we give, so none that comes back may be longer. */
const longestMs = 3 * 3_600_000;

function readRest(value: unknown): KeptRest | undefined {
  if (!isFields(value)) return undefined;
  const { restMs, reason, slowMs, perMinute, failures, silences } = value;
  if (!isCount(restMs, longestMs) || !isCount(slowMs, longestMs) || typeof reason !== 'string')
    return undefined;
  if (!isCount(perMinute) || !isCount(failures) || !isCount(silences)) return undefined;
  return { restMs, reason, slowMs, perMinute, failures, silences };
}

function isCount(value: unknown, most = 1_000_000): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;
}

/**
 * Merges the reports of two engines about one host or group. The order of the reports does not matter, nor whether
 * they come twice or in pieces: the longer rest holds, the slower pace, and the later count of failures.
 *
 * Times are points on the clock of the engine that merges.
 */
export type RestNews = {
  /** When the counts were taken. */
  at: number;
  rest: { until: number; reason: string } | undefined;
  slow: { perMinute: number; until: number } | undefined;
  failures: number;
  silences: number;
};

export function mergeRests(one: RestNews, other: RestNews): RestNews {
  return {
    rest: longerRest(one.rest, other.rest),
    slow: slowerPace(one.slow, other.slow),
    ...laterCounts(one, other),
  };
}

function longerRest(one: RestNews['rest'], other: RestNews['rest']): RestNews['rest'] {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.until !== other.until) return one.until > other.until ? one : other;
  return one.reason > other.reason ? one : other;
}

function slowerPace(one: RestNews['slow'], other: RestNews['slow']): RestNews['slow'] {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    perMinute: Math.min(one.perMinute, other.perMinute),
    until: Math.max(one.until, other.until),
  };
}

function laterCounts(one: RestNews, other: RestNews): Pick<RestNews, 'at' | 'failures' | 'silences'> {
  if (one.at !== other.at) {
    const { at, failures, silences } = one.at > other.at ? one : other;
    return { at, failures, silences };
  }
  return {
    at: one.at,
    failures: Math.max(one.failures, other.failures),
    silences: Math.max(one.silences, other.silences),
  };
}
