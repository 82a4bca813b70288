import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';

/**
 * Returns the key from which the names of random probes are derived (see the glossary). The store keeps it, so that
 * all processes ask a domain for the same random probe, on any machine. The first process contributes its own.
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

/** The key is in the engine's memory, which erases surplus rows by expiry; so it never expires. */
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
