import { recordChange, type ChangeParts } from '../ledger/record-change.ts';
import { statement } from '../store/statement.ts';
import { findKey, touchRefusal } from './change-key.ts';
import { limitsOf, type CallerLimits } from './key-limits.ts';

const markDeleted = statement((db, arg: { id: string; now: number }) =>
  db
    .updateTable('api_key')
    .set({ deleted_at: arg.now })
    .where('id', '=', arg.id)
    .where('deleted_at', 'is', null),
);

type DeleteKeyRequest = {
  keyId: string;
  /** If it is named, only a key of this account is found. */
  accountId?: string;
};

export type DeleteKeyAnswer =
  { kind: 'deleted'; keyId: string; accountId: string } | { kind: 'key_not_found' };

type Touched = { kind: 'live_key_required' } | { kind: 'insufficient_scope' };

/**
 * Deletes a key for the operator. It stops working within a second in every process (see authenticate.ts); its row stays
 * for the list.
 */
export async function deleteKey(request: DeleteKeyRequest, parts: ChangeParts): Promise<DeleteKeyAnswer> {
  const answer = await deleteKeyAs(undefined, request, parts);
  if (answer.kind === 'deleted' || answer.kind === 'key_not_found') return answer;
  throw new Error(`the operator was refused: ${answer.kind}`);
}

/** Deletes a key for a caller, who may be limited: a key that is stronger stays. */
export async function deleteKeyAs(
  changer: { mode: 'live' | 'test'; limits: CallerLimits } | undefined,
  { keyId, accountId }: DeleteKeyRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<DeleteKeyAnswer | Touched> {
  const now = wallClock.now();
  // Follows a change of the same key, which may have made it stronger.
  return store.write(async (tx) => {
    const row = await tx.first(findKey, { id: keyId });
    if (row === undefined || (accountId ?? row.account_id) !== row.account_id)
      return { kind: 'key_not_found' };
    const refused = touchRefusal(changer, { mode: row.mode, limits: limitsOf(row) });
    if (refused !== undefined) return { kind: refused };
    if ((await tx.change(markDeleted, { id: keyId, now })) === 0) return { kind: 'key_not_found' };
    const detail = { account_id: row.account_id };
    await recordChange(tx, { actor, action: 'key_deleted', subject: keyId, detail, now });
    return { kind: 'deleted', keyId, accountId: row.account_id };
  }, `key ${keyId}`);
}
