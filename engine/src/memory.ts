/**
 * What the engine has learnt, for whoever keeps it over a restart. The engine itself remembers in bounded caches and
 * needs nobody; where a memory is handed in, it is told of everything new and read once, at the start.
 *
 * Keys are names of domains, mail hosts and routes and addresses of machines, never anybody's address. Values
 * are plain JSON, and are looked at with suspicion when they come back: one that cannot be read is ignored.
 */
export type EngineMemory = {
  /** All that is still alive. Called once. */
  load(): Remembered[];
  /** Must neither wait nor throw. The last word on a key counts. */
  learn(entry: Remembered): void;
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
export type Shelf = {
  load(): Omit<Remembered, 'kind'>[];
  learn(key: string, value: unknown, lifeMs: number): void;
};

export const emptyShelf: Shelf = { load: () => [], learn: () => undefined };

export function openShelves(memory: EngineMemory | undefined): (kind: MemoryKind) => Shelf {
  if (memory === undefined) return () => emptyShelf;
  const known = Map.groupBy(memory.load(), ({ kind }) => kind);
  return (kind) => ({
    load: () => known.get(kind) ?? [],
    learn: (key, value, lifeMs) => memory.learn({ kind, key, value, lifeMs }),
  });
}

/** A JSON object, whose fields are yet to be looked at. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
