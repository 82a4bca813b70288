import type { Clock } from './clock.ts';

/** A cache with a life for each entry and a bound on their number; the least recently used goes first. */
type BoundedCache<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value, lifeMs: number): void;
  delete(key: string): void;
  /** How much longer an entry lives; 0 where there is none. Does not count as use. */
  lifeOf(key: string): number;
  size(): number;
};

export function createBoundedCache<Value>(
  clock: Pick<Clock, 'now'>,
  maxEntries: number,
): BoundedCache<Value> {
  const entries = new Map<string, { value: Value; until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.until <= clock.now()) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, lifeMs) {
      entries.delete(key);
      if (lifeMs <= 0) return;
      entries.set(key, { value, until: clock.now() + lifeMs });
      if (entries.size <= maxEntries) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    lifeOf: (key) => Math.max(0, (entries.get(key)?.until ?? -Infinity) - clock.now()),
    delete: (key) => void entries.delete(key),
    size: () => entries.size,
  };
}
