import { recordChange, type AuditDetail, type ChangeParts } from '../ledger/record-change.ts';
import { statement, type Tx } from '../store/statement.ts';
import {
  isNoStronger,
  isWithin,
  limitColumns,
  limitsOf,
  type CallerLimits,
  type KeyLimits,
} from './key-limits.ts';
import { expiresTooEarly, type LimitsWish } from './read-key-limits.ts';

/**
 * Changes the name and the limits of a key; what is not named stays. It holds in every process within a second (see
 * authenticate.ts).
 */
type ChangeKeyRequest = {
  keyId: string;
  /** Where it is named, only a key of this account is found. */
  accountId?: string;
  name?: string | undefined;
  limits: LimitsWish;
  /** Whoever changes it, where that is not the operator: they may give nothing that they do not have. */
  changer?: { mode: 'live' | 'test'; limits: CallerLimits };
};

export type ChangeKeyAnswer =
  | { kind: 'changed'; keyId: string; accountId: string }
  | { kind: 'key_not_found' }
  | { kind: 'live_key_required' }
  | { kind: 'insufficient_scope' }
  /** A test key costs no credits that could be capped; a time that is over is no expiry. */
  | { kind: 'invalid_request' };

export const findKey = statement((db, arg: { id: string }) =>
  db
    .selectFrom('api_key')
    .select(['account_id', 'mode', 'name', 'scopes', 'expires_at', 'allowed_ips', 'credits_per_day'])
    .where('id', '=', arg.id)
    .where('deleted_at', 'is', null),
);

type NewRow = {
  id: string;
  name: string;
  scopes: string | null;
  expires_at: number | null;
  allowed_ips: string | null;
  credits_per_day: number | null;
};

const writeKey = statement((db, arg: NewRow) =>
  db
    .updateTable('api_key')
    .set({
      name: arg.name,
      scopes: arg.scopes,
      expires_at: arg.expires_at,
      allowed_ips: arg.allowed_ips,
      credits_per_day: arg.credits_per_day,
    })
    .where('id', '=', arg.id)
    .where('deleted_at', 'is', null),
);

export async function changeKey(
  request: ChangeKeyRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<ChangeKeyAnswer> {
  const now = wallClock.now();
  if (expiresTooEarly(request.limits, now)) return { kind: 'invalid_request' };
  const change = async (tx: Tx): Promise<ChangeKeyAnswer> => {
    const row = await tx.first(findKey, { id: request.keyId });
    if (row === undefined || (request.accountId ?? row.account_id) !== row.account_id)
      return { kind: 'key_not_found' };
    const limits = limitsOf(row);
    const changed = { ...limits, ...request.limits };
    const changesLimits = Object.keys(request.limits).length > 0;
    const refused = changesLimits
      ? refusalOf(request.changer, { mode: row.mode, before: limits, after: changed })
      : touchRefusal(request.changer, { mode: row.mode, limits });
    if (refused !== undefined) return { kind: refused };
    const name = request.name ?? row.name;
    if ((await tx.change(writeKey, { id: request.keyId, name, ...limitColumns(changed) })) === 0)
      return { kind: 'key_not_found' };
    const detail = { account_id: row.account_id, name };
    const action = changesLimits ? 'key_changed' : 'key_renamed';
    const described = changesLimits ? { ...detail, ...describeLimits(changed) } : detail;
    await recordChange(tx, { actor, action, subject: request.keyId, detail: described, now });
    return { kind: 'changed', keyId: request.keyId, accountId: row.account_id };
  };
  // Two changes of one key follow each other, so that neither undoes what the other has written.
  return store.write(change, `key ${request.keyId}`);
}

type Changer = ChangeKeyRequest['changer'];

type KnownKey = { mode: 'live' | 'test'; limits: KeyLimits };

/** Says why a key may not be given another name, or be deleted: it is stronger than the key that asks. */
export function touchRefusal(
  changer: Changer,
  { mode, limits }: KnownKey,
): 'live_key_required' | 'insufficient_scope' | undefined {
  if (changer === undefined) return undefined;
  // A test key is given to machines that are trusted less: it must not get hold of a live one.
  if (mode === 'live' && changer.mode === 'test') return 'live_key_required';
  return isNoStronger(limits, capless(changer.limits, mode)) ? undefined : 'insufficient_scope';
}

/** A test key costs nothing and reaches test records only, so no cap of another is exceeded by it. */
function capless(limits: CallerLimits, mode: 'live' | 'test'): CallerLimits {
  return mode === 'test' ? { ...limits, creditsPerDay: null } : limits;
}

/** Why a key may not be given limits, or be issued with them. */
export function refusalOf(
  changer: Changer,
  { mode, before, after }: { mode: 'live' | 'test'; before?: KeyLimits; after: KeyLimits },
): 'live_key_required' | 'insufficient_scope' | 'invalid_request' | undefined {
  if (mode === 'test' && after.creditsPerDay !== null) return 'invalid_request';
  if (changer === undefined) return undefined;
  const refused = touchRefusal(changer, { mode, limits: before ?? after });
  if (refused !== undefined) return refused;
  return isWithin(after, capless(changer.limits, mode)) ? undefined : 'insufficient_scope';
}

/** For the audit log. */
export function describeLimits({ scopes, expiresAt, allowedIps, creditsPerDay }: KeyLimits): AuditDetail {
  return {
    ...(scopes === null ? {} : { scopes: scopes.join(' ') }),
    ...(expiresAt === null ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    ...(allowedIps === null ? {} : { allowed_ips: allowedIps.join(' ') }),
    ...(creditsPerDay === null ? {} : { credits_per_day: creditsPerDay }),
  };
}
