import { recordChange, type ChangeParts } from '../audit-log/record-change.ts';
import { statement } from '../db/statement.ts';

const writeName = statement((db, arg: { id: string; account: string; name: string }) =>
  db
    .updateTable('api_key')
    .set({ name: arg.name })
    .where('id', '=', arg.id)
    .where('account_id', '=', arg.account)
    .where('deleted_at', 'is', null)
    .returning('id'),
);

type RenameKeyAnswer = { kind: 'renamed' } | { kind: 'key_not_found' };

export async function renameKey(
  { accountId, keyId, name }: { accountId: string; keyId: string; name: string },
  { store, wallClock, actor }: ChangeParts,
): Promise<RenameKeyAnswer> {
  const now = wallClock.now();
  return store.write(async (tx) => {
    const renamed = await tx.first(writeName, { id: keyId, account: accountId, name });
    if (renamed === undefined) return { kind: 'key_not_found' };
    const detail = { account_id: accountId, name };
    await recordChange(tx, { actor, action: 'key_renamed', subject: keyId, detail, now });
    return { kind: 'renamed' };
  });
}
