import { statement } from './statement.ts';
import type { Store } from './store.ts';

const findVersion = statement((db) => db.selectFrom('schema_version').select('version').limit(1));

/** The schema that the store has now. */
export async function readSchemaVersion({ store }: { store: Pick<Store, 'read'> }): Promise<number> {
  return (await store.read.first(findVersion, {}))?.version ?? 0;
}
