import type { Clock } from '../clock.ts';

/** What holds for a while: keys with a value and an end, the newest `maxEntries` of them, that can be listed. */
type ExpiringMap<Value> = {
  get(key: string): Held<Value> | undefined;
  set(key: string, value: Value, until: number): void;
  /** The same, unless what is there holds as long or longer. */
  extend(key: string, value: Value, until: number): void;
  /** All that still hold. */
  list(): (Held<Value> & { key: string })[];
};

/** `until` is a point on the engine's clock. */
type Held<Value> = { value: Value; until: number };

export function createExpiringMap<Value>(clock: Clock, maxEntries: number): ExpiringMap<Value> {
  const entries = new Map<string, Held<Value>>();
  const holds = (held: Held<Value>): boolean => held.until > clock.now();
  function set(key: string, value: Value, until: number): void {
    entries.delete(key);
    entries.set(key, { value, until });
    if (entries.size <= maxEntries) return;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  }
  return {
    set,
    extend(key, value, until) {
      if (until > (entries.get(key)?.until ?? -Infinity)) set(key, value, until);
    },
    get(key) {
      const held = entries.get(key);
      if (held === undefined || holds(held)) return held;
      entries.delete(key);
      return undefined;
    },
    list: () => [...entries].filter(([, held]) => holds(held)).map(([key, held]) => ({ key, ...held })),
  };
}
