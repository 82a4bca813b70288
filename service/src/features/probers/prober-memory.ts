import type { Remembered } from '@mailproof/engine';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { forgetFrom, rememberFrom } from '../../core/verify/engine-state/keep-engine-memory.ts';
import { writeLearned } from './evidence-messages.ts';
import { messageLimits } from './message-limits.ts';
import type { LeaseAnswerMessage } from './prober-messages.ts';
import { memoryWriterOf, type KnownProber } from './prober-records.ts';

/** What probers outside tell the engines of this installation of hosts and domains, and what they are told. */

type RememberParts = {
  store: Pick<Store, 'write'>;
  wallClock: WallClock;
  /** Whether the prober has been removed or put in quarantine meanwhile. */
  isDoubted: (tx: Tx) => Promise<boolean>;
};

/** If the prober is removed or put in quarantine in this very moment, all that it ever told is forgotten, this too. */
export async function rememberFromProber(
  learned: readonly Remembered[],
  { id }: KnownProber,
  { store, wallClock, isDoubted }: RememberParts,
): Promise<void> {
  const signature = { writer: memoryWriterOf(id), at: wallClock.now() };
  await store.write(async (tx) => {
    await rememberFrom(tx, learned, signature);
    if (await isDoubted(tx)) await forgetFrom(tx, signature);
  }, `prober:${id}`);
}

const findNews = statement((db, arg: { writer: string; from: number; limit: number }) =>
  db
    .selectFrom('engine_memory')
    .select(['kind', 'key', 'value', 'expires_at as expires', 'written_at as written'])
    .where('written_at', '>=', arg.from)
    .where('kind', 'in', ['rest', 'belief'])
    .where('writer', '<>', arg.writer)
    .orderBy('written_at')
    .limit(arg.limit),
);

/** What is committed late was stamped earlier, so each look goes back this far again. */
const overlapMs = 5_000;

/** Rests and beliefs about providers that others came by, since the answer whose `news` the prober has. */
export async function readNews(
  { id }: KnownProber,
  cursor: string | undefined,
  { store, wallClock }: { store: Pick<Store, 'read'>; wallClock: WallClock },
): Promise<Pick<LeaseAnswerMessage, 'learned' | 'news'>> {
  const now = wallClock.now();
  const since = /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : 0;
  const from = Math.max(0, since - overlapMs);
  const limit = messageLimits.learned;
  const rows = await store.read.all(findNews, { writer: memoryWriterOf(id), from, limit });
  const entries = rows.map(({ kind, key, value, expires }) => ({
    kind: kind as Remembered['kind'],
    key,
    value: JSON.parse(value) as unknown,
    lifeMs: Math.max(0, expires - now),
  }));
  const last = rows.at(-1);
  const next = rows.length < limit || last === undefined ? now : Math.max(last.written, from + 1) + overlapMs;
  return { learned: writeLearned(entries), news: String(next) };
}
