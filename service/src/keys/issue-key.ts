import { sql } from 'kysely';
import { recordChange, type Actor, type ChangeParts } from '../audit-log/record-change.ts';
import { statement, type Tx } from '../db/statement.ts';
import { hashSecret, makeApiKey, writeApiKey } from './api-key.ts';

export type IssuedKey = {
  keyId: string;
  accountId: string;
  mode: 'live' | 'test';
  name: string;
  last4: string;
  createdAt: number;
  /** The whole key. It is shown once, here, and stored nowhere. */
  apiKey: string;
};

export type IssueKeyAnswer = WriteKeyAnswer | { kind: 'account_not_found' };

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
};

/** Counting and adding are one statement, so that concurrent requests cannot exceed the limit together. */
const insertKey = statement((db, arg: NewKey) =>
  db
    .insertInto('api_key')
    .columns(['id', 'account_id', 'mode', 'secret_hash', 'last4', 'name', 'created_at'])
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

type KeyRequest = { accountId: string; mode: 'live' | 'test'; name?: string | undefined };

export async function issueKey(
  request: KeyRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<IssueKeyAnswer> {
  const now = wallClock.now();
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
  { accountId, mode, name = nameOf[mode], actor, now }: KeyRequest & { actor: Actor; now: number },
): Promise<WriteKeyAnswer> {
  const key = makeApiKey(mode);
  const last4 = key.secret.slice(-4);
  const hash = hashSecret(key.secret).toString('hex');
  const row = { id: key.id, account: accountId, mode, hash, last4, name, now };
  if ((await tx.change(insertKey, row)) === 0) return { kind: 'too_many_keys' };
  const detail = { account_id: accountId, mode };
  await recordChange(tx, { actor, action: 'key_created', subject: key.id, detail, now });
  return {
    kind: 'issued',
    keyId: key.id,
    accountId,
    mode,
    name,
    last4,
    createdAt: now,
    apiKey: writeApiKey(key),
  };
}
