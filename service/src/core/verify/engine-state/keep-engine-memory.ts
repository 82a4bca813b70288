import type { Clock, EngineMemory, Remembered } from '@mailproof/engine';
import { statement, type Tx } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { WallClock } from '../../store/wall-clock.ts';
import { repeat } from '../../process/repeat.ts';

/**
 * Keeps the engine's knowledge of domains, mail hosts and routes, so that a restart does not start from zero. It
 * also passes on the knowledge of engines in other processes.
 *
 * The engine never waits for the store: its news is collected and written at most once a second, and when it stops.
 * News of other processes is read as often. If the store fails, only that news is lost. The number of entries is
 * bounded, here and in the store.
 */
type KeptMemory = {
  memory: EngineMemory;
  /** Writes the remaining news. */
  stop: () => Promise<void>;
};

type KeepEngineMemoryParts = {
  store: Pick<Store, 'read' | 'write'>;
  clock: Clock;
  wallClock: WallClock;
  onProblem: (message: string, error: unknown) => void;
  /** Marks the rows of this process, so that it does not read them back. */
  processId: string;
};

type MemoryRow = { kind: string; key: string; value: string; expires: number };

const writeEveryMs = 1_000;
const readEveryMs = 1_000;
const sweepEveryMs = 60_000;
const rowsKept = 100_000;
const mostUnwritten = 20_000;
/** Rows in one transaction, so that other work gets through in between. */
const sliceRows = 200;
/** Longer values are not kept; the engine's own are far shorter. */
const mostCharacters = 262_144;

export async function keepEngineMemory(parts: KeepEngineMemoryParts): Promise<KeptMemory> {
  const { store, clock, wallClock, processId } = parts;
  const unwritten = new Map<string, MemoryRow>();
  const startedAt = wallClock.now();
  const loaded = await load(parts);
  const news = followNews(parts, startedAt);
  let sweptAt = clock.now();
  let cancel: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  function learn({ kind, key, value, lifeMs }: Remembered): void {
    const text = JSON.stringify(value);
    if (text.length > mostCharacters) return;
    const place = `${kind} ${key}`;
    const [oldest] = unwritten.keys();
    if (oldest !== undefined && unwritten.size >= mostUnwritten) unwritten.delete(oldest);
    unwritten.delete(place);
    unwritten.set(place, { kind, key, value: text, expires: wallClock.now() + Math.round(lifeMs) });
    cancel ??= clock.after(writeEveryMs, writeSoon);
  }

  function writeSoon(): void {
    writing = write()
      .catch((error: unknown) => parts.onProblem("the engine's memory could not be saved", error))
      .finally(() => {
        cancel = unwritten.size > 0 ? clock.after(writeEveryMs, writeSoon) : undefined;
      });
  }

  async function write(): Promise<void> {
    for (let left = unwritten.size; left > 0; left -= sliceRows) {
      const slice = unwritten.entries().take(sliceRows).toArray();
      await store.write((tx) =>
        writeRows(
          tx,
          slice.map(([, row]) => row),
          { writer: processId, at: wallClock.now() },
        ),
      );
      // Entries that were learnt again meanwhile stay for the next time.
      for (const [place, row] of slice) if (unwritten.get(place) === row) unwritten.delete(place);
    }
    if (clock.now() - sweptAt < sweepEveryMs) return;
    await sweep(parts);
    sweptAt = clock.now();
  }

  return {
    memory: { load: () => loaded.splice(0), learn, listen: news.listen },
    stop: async () => {
      await news.stop();
      cancel?.();
      await writing;
      cancel?.();
      await write().catch((error: unknown) =>
        parts.onProblem("the engine's last memory could not be saved", error),
      );
    },
  };
}

/** A row may be committed later than its time stamp, so each read goes back this far. */
const overlapMs = 5_000;
/** Rows in one read, and reads in one run. */
const newsAtOnce = 1_000;
const mostReads = 100;

/** Polls for rows of other processes, and reports each entry once. */
function followNews(parts: KeepEngineMemoryParts, startedAt: number) {
  const { store, wallClock, processId } = parts;
  let tell: (entries: Remembered[]) => void = () => undefined;
  let from = startedAt - overlapMs;
  /** Entries reported within the overlap, and when they were written. */
  const told = new Map<string, number>();

  async function look(): Promise<void> {
    const now = wallClock.now();
    let after = { written: from, kind: '', key: '' };
    for (let reads = 0; reads < mostReads; reads += 1) {
      const rows = await store.read.all(findNews, { writer: processId, ...after, limit: newsAtOnce });
      const fresh = rows.filter(({ kind, key, written }) => told.get(`${kind} ${key}`) !== written);
      // The remaining life counts from now, not from before the read: a row may be younger than the read.
      const toldAt = wallClock.now();
      tell(fresh.flatMap((row) => readRow(row, toldAt) ?? []));
      for (const { kind, key, written } of fresh) told.set(`${kind} ${key}`, written);
      after = rows.at(-1) ?? after;
      if (rows.length < newsAtOnce) break;
    }
    from = Math.max(from, now - overlapMs);
    for (const [place, written] of told) if (written < from) told.delete(place);
  }

  const looking = repeat(look, { ...parts, everyMs: readEveryMs });
  return { listen: (teller: typeof tell) => void (tell = teller), stop: looking.stop };
}

type NewsArguments = { writer: string; written: number; kind: string; key: string; limit: number };

const findNews = statement((db, arg: NewsArguments) =>
  db
    .selectFrom('engine_memory')
    .select(['kind', 'key', 'value', 'expires_at as expires', 'written_at as written'])
    .where('written_at', '>=', arg.written)
    .where((eb) =>
      eb.or([
        eb('written_at', '>', arg.written),
        eb('kind', '>', arg.kind),
        eb.and([eb('kind', '=', arg.kind), eb('key', '>', arg.key)]),
      ]),
    )
    .where('writer', '<>', arg.writer)
    .orderBy('written_at')
    .orderBy('kind')
    .orderBy('key')
    .limit(arg.limit),
);

const findAlive = statement((db, arg: { now: number; limit: number }) =>
  db
    .selectFrom('engine_memory')
    .select(['kind', 'key', 'value', 'expires_at as expires'])
    .where('expires_at', '>', arg.now)
    .orderBy('expires_at')
    .limit(arg.limit),
);

async function load(parts: KeepEngineMemoryParts): Promise<Remembered[]> {
  const { store, wallClock } = parts;
  await sweep(parts);
  const now = wallClock.now();
  const rows = await store.read.all(findAlive, { now, limit: rowsKept });
  return rows.flatMap((row) => readRow(row, now) ?? []);
}

/** Parses a row. Returns `undefined` if this version cannot read it; the engine checks the values themselves. */
function readRow({ kind, key, value, expires }: MemoryRow, now: number): Remembered | undefined {
  if (!isKind(kind)) return undefined;
  try {
    return { kind, key, value: JSON.parse(value) as unknown, lifeMs: expires - now };
  } catch {
    return undefined;
  }
}

const kinds: ReadonlySet<string> = new Set<Remembered['kind']>([
  'belief',
  'catch_all',
  'closure',
  'control',
  'host_reach',
  'host_traits',
  'rest',
  'route',
]);

function isKind(kind: string): kind is Remembered['kind'] {
  return kinds.has(kind);
}

type RowSignature = { writer: string; at: number };

const writeRow = statement((db, arg: MemoryRow & RowSignature) => {
  const said = { value: arg.value, expires_at: arg.expires, writer: arg.writer, written_at: arg.at };
  return db
    .insertInto('engine_memory')
    .values({ kind: arg.kind, key: arg.key, ...said })
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doUpdateSet(said));
});

/** Stores entries that were learnt elsewhere, by a source that the engines of this installation may trust. */
export async function rememberFrom(
  tx: Tx,
  entries: readonly Remembered[],
  signature: RowSignature,
): Promise<void> {
  const rows = entries.flatMap(({ kind, key, value, lifeMs }) => {
    const text = JSON.stringify(value);
    const expires = signature.at + Math.round(lifeMs);
    return text.length > mostCharacters ? [] : [{ kind, key, value: text, expires }];
  });
  await writeRows(tx, rows, signature);
}

/** Ends the life of rows, so that engines that know them forget them; the sweep erases them after that. */
const endLives = statement((db, arg: RowSignature) =>
  db
    .updateTable('engine_memory')
    .set({ value: 'null', expires_at: arg.at, written_at: arg.at })
    .where('writer', '=', arg.writer),
);

/** Forgets all entries of a source that is no longer trusted. */
export async function forgetFrom(tx: Tx, signature: RowSignature): Promise<void> {
  await tx.change(endLives, signature);
}

async function writeRows(tx: Tx, rows: MemoryRow[], signature: RowSignature): Promise<void> {
  // All processes use the same order, so that two never wait for each other's rows.
  const sorted = rows.toSorted((a, b) => (a.kind + a.key < b.kind + b.key ? -1 : 1));
  for (const row of sorted) await tx.change(writeRow, { ...row, ...signature });
}

const eraseExpired = statement((db, arg: { now: number }) =>
  db.deleteFrom('engine_memory').where('expires_at', '<=', arg.now),
);

/** Erases surplus rows; those that expire first go first. */
const eraseSurplus = statement((db, arg: { most: number }) =>
  db
    .deleteFrom('engine_memory')
    .where('expires_at', '<=', (eb) =>
      eb
        .selectFrom('engine_memory')
        .select('expires_at')
        .orderBy('expires_at', 'desc')
        .limit(1)
        .offset(arg.most),
    ),
);

async function sweep({ store, wallClock }: KeepEngineMemoryParts): Promise<void> {
  await store.write(async (tx) => {
    await tx.change(eraseExpired, { now: wallClock.now() });
    await tx.change(eraseSurplus, { most: rowsKept });
  });
}
