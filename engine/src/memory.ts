/**
 * What the engine has learnt, for a store that keeps it over a restart. The engine remembers in bounded caches and works
 * without one; where a memory is handed in, it is read at the start and told of everything new, and what other engines
 * write to the same memory is taken in as it comes.
 *
 * Keys are names of domains, mail hosts and routes and IP addresses of machines, never an email address. Values are
 * plain JSON and are not trusted when they come back: one that cannot be read is ignored.
 */
export type EngineMemory = {
  /** All that is still alive. Called once. */
  load(): Remembered[];
  /** Must neither wait nor throw. The last word on a key counts. */
  learn(entry: Remembered): void;
  /** Called once; `tell` takes what other engines learn. An entry without any life left is to be forgotten. */
  listen?(tell: (entries: Remembered[]) => void): void;
};

export type Remembered = {
  kind: MemoryKind;
  key: string;
  value: unknown;
  /** How much longer it holds; 0 means that it is to be forgotten. */
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

/** A JSON object, whose fields are yet to be looked at. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
