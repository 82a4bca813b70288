import type { Clock } from '../clock.ts';
import { isFields, type Shelf } from '../memory.ts';
import { mergeRests, type RestNews } from './merge-rests.ts';
import { isRunning, type Record, type RecordBook } from './record.ts';

/**
 * Rests over a restart and over several engines: whom we leave alone stays left alone, and a host that has put us off again and again is not
 * met as if for the first time, for an hour after its rest or until it has done better. What is kept counts
 * from the moment it was kept, so it needs no clock of its own.
 */
export type KeptRest = {
  restMs: number;
  reason: string;
  slowMs: number;
  perMinute: number;
  setbacks: number;
  silences: number;
};

export function keepRest(key: string, record: Record, keep: Keep): void {
  const kept = describeRest(record, keep.clock);
  const { restMs, slowMs } = kept;
  if (restMs > 0 || slowMs > 0) keep.shelf.learn(key, kept, Math.max(restMs, slowMs) + afterwardsMs);
}

export function describeRest({ rest, slow, setbacks, silences }: Record, clock: Clock): KeptRest {
  const now = clock.now();
  return {
    restMs: Math.max(0, Math.round((rest?.until ?? now) - now)),
    reason: rest?.reason ?? '',
    slowMs: Math.max(0, Math.round((slow?.until ?? now) - now)),
    perMinute: slow?.perMinute ?? 0,
    setbacks,
    silences,
  };
}

/** The host has done better. */
export function forgetRest(key: string, { shelf }: Pick<Keep, 'shelf'>): void {
  shelf.learn(key, null, 0);
}

const afterwardsMs = 3_600_000;

type Keep = { clock: Clock; shelf: Shelf };

/** Takes in what was kept, and from then on what other engines learn. */
export function followRests(book: RecordBook, { clock, shelf }: Keep): void {
  shelf.follow(({ key, value, lifeMs }) => {
    if (!/^(?:address|group) ./.test(key)) return;
    const kept = value === null ? forgotten : readRest(value);
    if (kept === undefined) return;
    const lived = value === null ? 0 : Math.max(kept.restMs, kept.slowMs) + afterwardsMs;
    hearRest(book.of(key), { kept, sinceMs: Math.max(0, lived - lifeMs) }, clock);
  });
}

const forgotten: KeptRest = { restMs: 0, reason: '', slowMs: 0, perMinute: 0, setbacks: 0, silences: 0 };

/** Brings together what a record holds and what was said of it `sinceMs` ago. */
export function hearRest(record: Record, said: { kept: KeptRest; sinceMs: number }, clock: Clock): void {
  const news = newsOf(said, clock);
  const known: RestNews = {
    at: record.countedAt,
    rest: isRunning(record.rest, clock) ? record.rest : undefined,
    slow: isRunning(record.slow, clock) ? record.slow : undefined,
    setbacks: record.setbacks,
    silences: record.silences,
  };
  const { at, rest, slow, setbacks, silences } = mergeRests(known, news);
  Object.assign(record, { countedAt: at, rest, slow, setbacks, silences });
  // Whoever rested is met one conversation at a time, by everybody.
  const isBad = news.rest !== undefined || news.slow !== undefined || news.setbacks > 0;
  if (isBad && news.at >= known.at) Object.assign(record, { allowed: 1, clean: 0, policyRefusedAt: [] });
}

function newsOf({ kept, sinceMs }: { kept: KeptRest; sinceMs: number }, clock: Clock): RestNews {
  const { restMs, slowMs, reason, perMinute, setbacks, silences } = kept;
  const at = clock.now() - sinceMs;
  return {
    at,
    rest: restMs > sinceMs ? { until: at + restMs, reason } : undefined,
    slow: slowMs > sinceMs && perMinute >= 1 ? { until: at + slowMs, perMinute } : undefined,
    setbacks,
    silences,
  };
}

/** No rest that we give is longer, so none that comes back is. */
const longestMs = 3 * 3_600_000;

export function readRest(value: unknown): KeptRest | undefined {
  if (!isFields(value)) return undefined;
  const { restMs, reason, slowMs, perMinute, setbacks, silences } = value;
  if (!isCount(restMs, longestMs) || !isCount(slowMs, longestMs) || typeof reason !== 'string')
    return undefined;
  if (!isCount(perMinute) || !isCount(setbacks) || !isCount(silences)) return undefined;
  return { restMs, reason, slowMs, perMinute, setbacks, silences };
}

function isCount(value: unknown, most = 1_000_000): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;
}
