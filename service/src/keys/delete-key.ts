import { recordChange, type ChangeParts } from '../audit-log/record-change.ts';
import { statement } from '../db/statement.ts';

const markDeleted = statement((db, arg: { id: string; now: number }) =>
  db
    .updateTable('api_key')
    .set({ deleted_at: arg.now })
    .where('id', '=', arg.id)
    .where('deleted_at', 'is', null)
    .returning('account_id'),
);

const markDeletedOf = statement((db, arg: { id: string; account: string; now: number }) =>
  db
    .updateTable('api_key')
    .set({ deleted_at: arg.now })
    .where('id', '=', arg.id)
    .where('account_id', '=', arg.account)
    .where('deleted_at', 'is', null)
    .returning('account_id'),
);

export type DeleteKeyAnswer =
  { kind: 'deleted'; keyId: string; accountId: string } | { kind: 'key_not_found' };

/**
 * The key stops working within a second in every process (see authenticate.ts). Its row stays for the list. Where an
 * account is named, only a key of that account is found.
 */
export async function deleteKey(
  { keyId, accountId }: { keyId: string; accountId?: string },
  { store, wallClock, actor }: ChangeParts,
): Promise<DeleteKeyAnswer> {
  const now = wallClock.now();
  return store.write(async (tx) => {
    const row =
      accountId === undefined
        ? await tx.first(markDeleted, { id: keyId, now })
        : await tx.first(markDeletedOf, { id: keyId, account: accountId, now });
    if (row === undefined) return { kind: 'key_not_found' };
    const detail = { account_id: row.account_id };
    await recordChange(tx, { actor, action: 'key_deleted', subject: keyId, detail, now });
    return { kind: 'deleted', keyId, accountId: row.account_id };
  });
}
