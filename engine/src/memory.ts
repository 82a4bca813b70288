/**
 * The knowledge of the engine, for a store that keeps it over a restart. The engine remembers in bounded caches and
 * works without one. A memory is read at the start and told of everything new, and entries that other engines write
 * to it are taken in as they come.
 *
 * Keys are names of domains, mail hosts and routes and IP addresses of machines, never an email address. Values are
 * plain JSON and are not trusted when they come back: one that cannot be read is ignored.
 */
export type EngineMemory = {
  /** Returns all living entries. Called once. */
  load(): Remembered[];
  /** Must neither wait nor throw. The last entry for a key counts. */
  learn(entry: Remembered): void;
  /** Called once; `tell` takes the entries of other engines. An entry without any life left must be forgotten. */
  listen?(tell: (entries: Remembered[]) => void): void;
};

export type Remembered = {
  kind: MemoryKind;
  key: string;
  value: unknown;
  /** How much longer it holds; 0 means that it must be forgotten. */
  lifeMs: number;
};

export type MemoryKind =
  'belief' | 'catch_all' | 'closure' | 'control' | 'host_reach' | 'host_traits' | 'rest' | 'route';

/** The entries of one kind. */
export type MemoryNamespace = {
  /** Calls `take` for each entry that is known, and from then on for each that another engine learns. */
  follow(take: (entry: Omit<Remembered, 'kind'>) => void): void;
  learn(key: string, value: unknown, lifeMs: number): void;
};

export const emptyNamespace: MemoryNamespace = { follow: () => undefined, learn: () => undefined };

export function openNamespaces(memory: EngineMemory | undefined): (kind: MemoryKind) => MemoryNamespace {
  if (memory === undefined) return () => emptyNamespace;
  const known = Map.groupBy(memory.load(), ({ kind }) => kind);
  const followers = new Map<MemoryKind, (entry: Remembered) => void>();
  memory.listen?.((entries) => entries.forEach((entry) => followers.get(entry.kind)?.(entry)));
  return (kind) => ({
    follow(take) {
      known.get(kind)?.forEach(take);
      known.delete(kind);
      followers.set(kind, take);
    },
    learn: (key, value, lifeMs) => memory.learn({ kind, key, value, lifeMs }),
  });
}

/** Whether a value is a JSON object, whose fields are still to be checked. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
