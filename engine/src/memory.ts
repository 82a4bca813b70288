/**
 * What the engine has learnt, for whoever keeps it over a restart. The engine itself remembers in bounded caches and
 * needs nobody; where a memory is handed in, it is told of everything new and read at the start, and where other
 * engines write to the same memory, what they learn is taken in as it comes.
 *
 * Keys are names of domains, mail hosts and routes and addresses of machines, never anybody's address. Values
 * are plain JSON, and are looked at with suspicion when they come back: one that cannot be read is ignored.
 */
export type EngineMemory = {
  /** All that is still alive. Called once. */
  load(): Remembered[];
  /** Must neither wait nor throw. The last word on a key counts. */
  learn(entry: Remembered): void;
  /** Called once, with what wants to be told of all that others learn. One whose life is over is to be forgotten. */
  listen?(tell: (entries: Remembered[]) => void): void;
};

export type Remembered = {
  kind: MemoryKind;
  key: string;
  value: unknown;
  /** How much longer it holds; nothing left means that it is to be forgotten. */
  lifeMs: number;
};

export type MemoryKind = 'catch_all' | 'host_traits' | 'rest' | 'route';

/** The part of a memory that belongs to one kind of thing. */
export type MemoryNamespace = {
  /** Calls `take` for each thing that is known, and from then on for each that another engine learns. */
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
