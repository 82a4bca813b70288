import type { Clock } from './clock.ts';

/**
 * A map with a bound on the number of entries and, if wanted, a life for each. When it is full, the least recently
 * used entry makes room.
 */
export type BoundedCache<Value> = {
  /** Returns the value and counts as use. */
  get(key: string): Value | undefined;
  /** Returns the value without counting as use: entries that are only peeked at leave in the order they were set. */
  peek(key: string): Value | undefined;
  /** Keeps the value for `lifeMs`, or until it has to make room; a value without any life left is not kept. */
  set(key: string, value: Value, lifeMs?: number): void;
  delete(key: string): void;
  /** How much longer an entry lives; 0 if there is none. Does not count as use. */
  lifeOf(key: string): number;
  /** Lists all living entries, the next to make room first. `until` is a point on the clock. */
  list(): { key: string; value: Value; until: number }[];
  size(): number;
};

type BoundedCacheParts = {
  maxEntries: number;
  /** Not needed if entries only leave to make room. */
  clock?: Pick<Clock, 'now'>;
};

export function createBoundedCache<Value>({
  maxEntries,
  clock = timeless,
}: BoundedCacheParts): BoundedCache<Value> {
  const entries = new Map<string, { value: Value; until: number }>();
  /**
   * Stands before the oldest entry once the map is full. A new iterator each time would step over all entries that
   * left since the map last grew; one from the beginning would hold on to the old contents.
   */
  let oldestFirst: MapIterator<string> | undefined;

  function find(key: string): { value: Value; until: number } | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.until > clock.now()) return entry;
    entries.delete(key);
    return undefined;
  }

  return {
    peek: (key) => find(key)?.value,
    get(key) {
      const entry = find(key);
      if (entry === undefined) return undefined;
      // While it is half empty nothing has to make room soon; once it is full, half of the entries are newer
      // than this use.
      if (2 * entries.size < maxEntries) return entry.value;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, lifeMs = Infinity) {
      if (lifeMs <= 0) {
        entries.delete(key);
        return;
      }
      const entry = { value, until: clock.now() + lifeMs };
      const before = entries.size;
      entries.set(key, entry);
      if (entries.size === before) {
        // It was there already, in its old place.
        entries.delete(key);
        entries.set(key, entry);
        return;
      }
      if (entries.size <= maxEntries) return;
      oldestFirst ??= entries.keys();
      let oldest = oldestFirst.next();
      if (oldest.done === true) oldest = (oldestFirst = entries.keys()).next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
    delete: (key) => void entries.delete(key),
    lifeOf(key) {
      const entry = entries.get(key);
      return entry === undefined ? 0 : Math.max(0, entry.until - clock.now());
    },
    list: () =>
      [...entries].flatMap(([key, { value, until }]) => (until > clock.now() ? [{ key, value, until }] : [])),
    size: () => entries.size,
  };
}

const timeless = { now: () => 0 };
