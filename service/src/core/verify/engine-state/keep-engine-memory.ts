import type { Clock, EngineMemory, Remembered } from '@mailproof/engine';
import { statement, type Tx } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { WallClock } from '../../store/wall-clock.ts';
import { repeat } from '../../process/repeat.ts';

/**
 * Keeps what the engine learns of domains, mail hosts and routes, so that a restart does not start from zero, and
 * tells it what the engines of other processes have learnt.
 *
 * The engine never waits for the store: what it learns is gathered and written at most once a second and when it stops;
 * what others wrote is looked for as often. A store that fails costs nothing but what could not be kept. The number of
 * entries is bounded, here and in the store.
 */
type KeptMemory = {
  memory: EngineMemory;
  /** Writes what is still to be written. */
  stop: () => Promise<void>;
};

type KeepEngineMemoryParts = {
  store: Pick<Store, 'read' | 'write'>;
  clock: Clock;
  wallClock: WallClock;
  onProblem: (message: string, error: unknown) => void;
  /** Marks what this process wrote, so that it does not read its own rows back. */
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
      .catch((error: unknown) => parts.onProblem('what the engine learnt could not be kept', error))
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
      // What was learnt anew meanwhile stays for the next time.
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
        parts.onProblem('what the engine learnt last could not be kept', error),
      );
    },
  };
}

/** A row that is committed late was stamped earlier, so each look goes back this far again. */
const overlapMs = 5_000;
/** Rows in one read, and reads in one look. */
const newsAtOnce = 1_000;
const mostReads = 100;

/** Looks again and again for what other processes wrote, and tells each entry once. */
function followNews(parts: KeepEngineMemoryParts, startedAt: number) {
  const { store, wallClock, processId } = parts;
  let tell: (entries: Remembered[]) => void = () => undefined;
  let from = startedAt - overlapMs;
  /** What was told within the overlap, and when it was written. */
  const told = new Map<string, number>();

  async function look(): Promise<void> {
    const now = wallClock.now();
    let after = { written: from, kind: '', key: '' };
    for (let reads = 0; reads < mostReads; reads += 1) {
      const rows = await store.read.all(findNews, { writer: processId, ...after, limit: newsAtOnce });
      const fresh = rows.filter(({ kind, key, written }) => told.get(`${kind} ${key}`) !== written);
      // What is left of a life is counted from now, not from before the reading: a row may be younger than the look.
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

/** `undefined` for what this version cannot read; the engine looks at the values themselves. */
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

/** What was learnt elsewhere, by somebody whom the engines of this installation may hear. */
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

/** Without any life left, so that engines which have heard of it forget it; the sweep erases it after that. */
const endLives = statement((db, arg: RowSignature) =>
  db
    .updateTable('engine_memory')
    .set({ value: 'null', expires_at: arg.at, written_at: arg.at })
    .where('writer', '=', arg.writer),
);

/** Whatever somebody said who is not to be believed any more. */
export async function forgetFrom(tx: Tx, signature: RowSignature): Promise<void> {
  await tx.change(endLives, signature);
}

async function writeRows(tx: Tx, rows: MemoryRow[], signature: RowSignature): Promise<void> {
  // In one order everywhere, so that two processes never wait for each other's rows.
  const sorted = rows.toSorted((a, b) => (a.kind + a.key < b.kind + b.key ? -1 : 1));
  for (const row of sorted) await tx.change(writeRow, { ...row, ...signature });
}

const eraseExpired = statement((db, arg: { now: number }) =>
  db.deleteFrom('engine_memory').where('expires_at', '<=', arg.now),
);

/** Those that would expire first go first. */
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
