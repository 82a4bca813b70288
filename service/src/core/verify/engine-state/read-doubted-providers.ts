import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { WallClock } from '../../store/wall-clock.ts';

const findDoubted = statement((db, arg: { now: number }) =>
  db
    .selectFrom('engine_memory')
    .select('key')
    .where('kind', '=', 'control')
    .where('expires_at', '>', arg.now)
    .orderBy('key')
    .limit(1_000),
);

/** Providers that refuse control mailboxes, as the engine last told the store. */
export async function readDoubtedProviders(parts: {
  store: Pick<Store, 'read'>;
  wallClock: WallClock;
}): Promise<string[]> {
  const rows = await parts.store.read.all(findDoubted, { now: parts.wallClock.now() });
  return rows.map(({ key }) => key);
}
