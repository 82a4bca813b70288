import type { Store } from '../db/store.ts';
import { statement } from '../db/statement.ts';
import type { WallClock } from '../db/wall-clock.ts';

const markDeleted = statement((db, arg: { id: string; now: number }) =>
  db
    .updateTable('api_key')
    .set({ deleted_at: arg.now })
    .where('id', '=', arg.id)
    .where('deleted_at', 'is', null)
    .returning(['account_id']),
);

export type DeleteKeyAnswer =
  { kind: 'deleted'; keyId: string; accountId: string } | { kind: 'key_not_found' };

/** The key stops working within a second in every process (see authenticate.ts). Its row stays for the list. */
export async function deleteKey(
  keyId: string,
  { store, wallClock }: { store: Store; wallClock: WallClock },
): Promise<DeleteKeyAnswer> {
  const now = wallClock.now();
  const row = await store.write((tx) => tx.first(markDeleted, { id: keyId, now }));
  return row === undefined
    ? { kind: 'key_not_found' }
    : { kind: 'deleted', keyId, accountId: row.account_id };
}
