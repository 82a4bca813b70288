import type { Clock } from '../clock.ts';
import { isFields, type Shelf } from '../memory.ts';
import type { Record, RecordBook } from './record.ts';

/**
 * Rests over a restart: whom we leave alone stays left alone, and a host that has put us off again and again is not
 * met as if for the first time, for an hour after its rest or until it has done better. What is kept counts
 * from the moment it was kept, so it needs no clock of its own.
 */
type KeptRest = {
  restMs: number;
  reason: string;
  slowMs: number;
  perMinute: number;
  setbacks: number;
  silences: number;
};

export function keepRest(key: string, { rest, slow, setbacks, silences }: Record, keep: Keep): void {
  const now = keep.clock.now();
  const restMs = Math.max(0, Math.round((rest?.until ?? now) - now));
  const slowMs = Math.max(0, Math.round((slow?.until ?? now) - now));
  const kept: KeptRest = {
    restMs,
    reason: rest?.reason ?? '',
    slowMs,
    perMinute: slow?.perMinute ?? 0,
    setbacks,
    silences,
  };
  if (restMs > 0 || slowMs > 0) keep.shelf.learn(key, kept, Math.max(restMs, slowMs) + afterwardsMs);
}

/** The host has done better. */
export function forgetRest(key: string, { shelf }: Pick<Keep, 'shelf'>): void {
  shelf.learn(key, null, 0);
}

const afterwardsMs = 3_600_000;

type Keep = { clock: Clock; shelf: Shelf };

export function restoreRests(book: RecordBook, { clock, shelf }: Keep): void {
  for (const { key, value, lifeMs } of shelf.load()) {
    const kept = readRest(value);
    if (kept === undefined || !/^(?:address|group) ./.test(key)) continue;
    const { restMs, slowMs, reason, perMinute, setbacks, silences } = kept;
    const sinceMs = Math.max(0, Math.max(restMs, slowMs) + afterwardsMs - lifeMs);
    const record = book.of(key);
    Object.assign(record, { setbacks, silences, allowed: 1 });
    if (restMs > sinceMs) record.rest = { until: clock.now() + restMs - sinceMs, reason };
    if (slowMs > sinceMs && perMinute >= 1)
      record.slow = { until: clock.now() + slowMs - sinceMs, perMinute };
  }
}

/** No rest that we give is longer, so none that comes back is. */
const longestMs = 3 * 3_600_000;

function readRest(value: unknown): KeptRest | undefined {
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
