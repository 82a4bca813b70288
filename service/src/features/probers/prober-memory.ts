import type { Remembered } from '@mailproof/engine';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { forgetFrom, rememberFrom } from '../../core/verify/engine-state/keep-engine-memory.ts';
import { writeLearned } from './evidence-messages.ts';
import type { LeaseAnswerMessage } from './prober-messages.ts';
import { messageLimits } from './message-limits.ts';
import { memoryWriterOf, type KnownProber } from './prober-records.ts';

/** Exchange of facts about hosts and domains between outside probers and the engines of this installation. */

type RememberParts = {
  store: Pick<Store, 'write'>;
  wallClock: WallClock;
  /** Tells whether the prober was removed or quarantined meanwhile. */
  isDoubted: (tx: Tx) => Promise<boolean>;
};

/**
 * Stores facts from a prober. If it is removed or quarantined at the same time, these are forgotten with all its
 * others.
 */
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

/** A late commit carries an earlier time, so each read goes back this far. */
const overlapMs = 5_000;

/** Returns rests and beliefs about providers from other sources, since the answer with the prober's `news`. */
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
