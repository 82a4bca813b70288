import { recordChange, type Actor, type ChangeParts } from '../audit-log/record-change.ts';
import { statement, type Tx } from '../db/statement.ts';
import { hashSecret, makeApiKey, writeApiKey } from './api-key.ts';

export type IssuedKey = {
  keyId: string;
  accountId: string;
  mode: 'live' | 'test';
  /** The whole key. It is shown once, here, and stored nowhere. */
  apiKey: string;
};

export type IssueKeyAnswer = ({ kind: 'issued' } & IssuedKey) | { kind: 'account_not_found' };

type NewKey = {
  id: string;
  account: string;
  mode: 'live' | 'test';
  hash: string;
  last4: string;
  name: string;
  now: number;
};

const insertKey = statement((db, arg: NewKey) =>
  db.insertInto('api_key').values({
    id: arg.id,
    account_id: arg.account,
    mode: arg.mode,
    secret_hash: arg.hash,
    last4: arg.last4,
    name: arg.name,
    created_at: arg.now,
    deleted_at: null,
  }),
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
    return { kind: 'issued', ...(await writeKey(tx, { ...request, actor, now })) };
  });
}

/** What a key is called that was given no name. */
const nameOf = { live: 'Live key', test: 'Test key' } as const;

/** For callers that make the account in the same transaction. */
export async function writeKey(
  tx: Tx,
  { accountId, mode, name, actor, now }: KeyRequest & { actor: Actor; now: number },
): Promise<IssuedKey> {
  const key = makeApiKey(mode);
  await tx.change(insertKey, {
    id: key.id,
    account: accountId,
    mode,
    hash: hashSecret(key.secret).toString('hex'),
    last4: key.secret.slice(-4),
    name: name ?? nameOf[mode],
    now,
  });
  const detail = { account_id: accountId, mode };
  await recordChange(tx, { actor, action: 'key_created', subject: key.id, detail, now });
  return { keyId: key.id, accountId, mode, apiKey: writeApiKey(key) };
}
