import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';

/**
 * What the names of random probes are derived from (see the glossary). It is kept in the store, so that all processes that share it ask
 * a domain for the same random probe, whichever machine they are on. The first process brings its own.
 */
export async function readRandomProbeKey(ownKey: string, { store }: { store: Store }): Promise<string> {
  const row = await store.write(async (tx) => {
    await tx.change(bringKey, { value: JSON.stringify(ownKey), expires: never });
    return tx.first(findKey, {});
  });
  const key: unknown = row === undefined ? undefined : JSON.parse(row.value);
  if (typeof key !== 'string') throw new Error('the key of random probes in the store is not a string');
  return key;
}

/** Among what the engine remembers, which is bounded by what expires first. */
const place = { kind: 'stranger_key', key: '' };
const never = Number.MAX_SAFE_INTEGER;

const bringKey = statement((db, arg: { value: string; expires: number }) =>
  db
    .insertInto('engine_memory')
    .values({ ...place, value: arg.value, expires_at: arg.expires })
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing()),
);

const findKey = statement((db) =>
  db.selectFrom('engine_memory').select('value').where('kind', '=', place.kind).where('key', '=', place.key),
);
