import { sql } from 'kysely';
import { recordChange, type Actor, type ChangeParts } from '../ledger/record-change.ts';
import { statement, type Tx } from '../store/statement.ts';
import { hashSecret, makeApiKey, writeApiKey } from './api-key.ts';
import { describeLimits, refusalOf } from './change-key.ts';
import { limitColumns, noLimits, type CallerLimits, type KeyLimits } from './key-limits.ts';
import { expiresTooEarly, type LimitsWish } from './read-key-limits.ts';

export type IssuedKey = {
  keyId: string;
  accountId: string;
  mode: 'live' | 'test';
  name: string;
  last4: string;
  createdAt: number;
  limits: KeyLimits;
  /** The whole key. It is shown once, here, and stored nowhere. */
  apiKey: string;
};

export type IssueKeyAnswer =
  | WriteKeyAnswer
  | { kind: 'account_not_found' }
  /** The key that asks for it would give what it does not have. */
  | { kind: 'live_key_required' }
  | { kind: 'insufficient_scope' }
  /** A test key costs no credits that could be capped; a time that is over is no expiry. */
  | { kind: 'invalid_request' };

type WriteKeyAnswer = ({ kind: 'issued' } & IssuedKey) | { kind: 'too_many_keys' };

/** Keys of an account that are not deleted. */
const mostKeys = 100;

type NewKey = {
  id: string;
  account: string;
  mode: 'live' | 'test';
  hash: string;
  last4: string;
  name: string;
  now: number;
  scopes: string | null;
  expires_at: number | null;
  allowed_ips: string | null;
  credits_per_day: number | null;
};

const limitNames = ['scopes', 'expires_at', 'allowed_ips', 'credits_per_day'] as const;

/** Counting and adding are one statement, so that concurrent requests cannot exceed the limit together. */
const insertKey = statement((db, arg: NewKey) =>
  db
    .insertInto('api_key')
    .columns(['id', 'account_id', 'mode', 'secret_hash', 'last4', 'name', 'created_at', ...limitNames])
    .expression((eb) =>
      eb
        .selectFrom('account')
        .select([
          eb.val(arg.id).as('id'),
          'account.id as account_id',
          eb.val(arg.mode).as('mode'),
          eb.val(arg.hash).as('secret_hash'),
          eb.val(arg.last4).as('last4'),
          eb.val(arg.name).as('name'),
          eb.val(arg.now).as('created_at'),
          eb.val(arg.scopes).as('scopes'),
          eb.val(arg.expires_at).as('expires_at'),
          eb.val(arg.allowed_ips).as('allowed_ips'),
          eb.val(arg.credits_per_day).as('credits_per_day'),
        ])
        .where('account.id', '=', arg.account)
        .where(
          (count) =>
            count
              .selectFrom('api_key as living')
              .select((of) => of.fn.countAll<number>().as('keys'))
              .whereRef('living.account_id', '=', 'account.id')
              .where('living.deleted_at', 'is', null),
          '<',
          sql.lit(mostKeys),
        ),
    ),
);

const findAccount = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('id').where('id', '=', arg.account),
);

type KeyRequest = {
  accountId: string;
  mode: 'live' | 'test';
  name?: string | undefined;
  limits?: LimitsWish | undefined;
};

export async function issueKey(
  { maker, ...request }: KeyRequest & { maker?: { mode: 'live' | 'test'; limits: CallerLimits } },
  { store, wallClock, actor }: ChangeParts,
): Promise<IssueKeyAnswer> {
  const now = wallClock.now();
  const refused = refusalOf(maker, { mode: request.mode, after: { ...noLimits, ...request.limits } });
  if (refused !== undefined) return { kind: refused };
  if (expiresTooEarly(request.limits ?? {}, now)) return { kind: 'invalid_request' };
  return store.write(async (tx) => {
    if ((await tx.first(findAccount, { account: request.accountId })) === undefined) {
      return { kind: 'account_not_found' };
    }
    return writeKey(tx, { ...request, actor, now });
    // With the account as its serial key: counting the keys must not run concurrently with adding one.
  }, request.accountId);
}

/** The name of a key that was given none. */
const nameOf = { live: 'Live key', test: 'Test key' } as const;

/** For callers that create the account in the same transaction. */
export async function writeKey(
  tx: Tx,
  {
    accountId,
    mode,
    name = nameOf[mode],
    limits: wish,
    actor,
    now,
  }: KeyRequest & { actor: Actor; now: number },
): Promise<WriteKeyAnswer> {
  const key = makeApiKey(mode);
  const last4 = key.secret.slice(-4);
  const hash = hashSecret(key.secret).toString('hex');
  const limits = { ...noLimits, ...wish };
  const row = { id: key.id, account: accountId, mode, hash, last4, name, now, ...limitColumns(limits) };
  if ((await tx.change(insertKey, row)) === 0) return { kind: 'too_many_keys' };
  const detail = { account_id: accountId, mode, ...describeLimits(limits) };
  await recordChange(tx, { actor, action: 'key_created', subject: key.id, detail, now });
  return {
    kind: 'issued',
    keyId: key.id,
    accountId,
    mode,
    name,
    last4,
    createdAt: now,
    limits,
    apiKey: writeApiKey(key),
  };
}
