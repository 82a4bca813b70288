import { recordChange, type ChangeParts } from '../../core/ledger/record-change.ts';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import { sql } from 'kysely';
import { makeFormKey } from './form-key.ts';

/** A publishable key and what it may do. */
export type FormKey = {
  key: string;
  name: string;
  /** Scheme, host and port of the pages that may use it. */
  origins: string[];
  checksPerDay: number;
  checksPerVisitor: number;
  createdAt: number;
};

export type FormKeyRequest = Omit<FormKey, 'key' | 'createdAt'> & { accountId: string };

/** Keys of an account that are not deleted. */
const mostFormKeys = 100;

type NewRow = {
  id: string;
  account: string;
  name: string;
  origins: string;
  perDay: number;
  perVisitor: number;
  now: number;
};

/** Counting and adding are one statement, as with API keys. */
const insertKey = statement((db, arg: NewRow) =>
  db
    .insertInto('form_key')
    .columns(['id', 'account_id', 'name', 'origins', 'checks_per_day', 'checks_per_visitor', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('account')
        .select([
          eb.val(arg.id).as('id'),
          'account.id as account_id',
          eb.val(arg.name).as('name'),
          eb.val(arg.origins).as('origins'),
          eb.val(arg.perDay).as('checks_per_day'),
          eb.val(arg.perVisitor).as('checks_per_visitor'),
          eb.val(arg.now).as('created_at'),
        ])
        .where('account.id', '=', arg.account)
        .where(
          (count) =>
            count
              .selectFrom('form_key as living')
              .select((of) => of.fn.countAll<number>().as('keys'))
              .whereRef('living.account_id', '=', 'account.id')
              .where('living.deleted_at', 'is', null),
          '<',
          sql.lit(mostFormKeys),
        ),
    ),
);

const findKeys = statement((db, arg: { account: string }) =>
  db
    .selectFrom('form_key')
    .select(['id', 'name', 'origins', 'checks_per_day', 'checks_per_visitor', 'created_at'])
    .where('account_id', '=', arg.account)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id'),
);

const markDeleted = statement((db, arg: { id: string; account: string; now: number }) =>
  db
    .updateTable('form_key')
    .set({ deleted_at: arg.now })
    .where('id', '=', arg.id)
    .where('account_id', '=', arg.account)
    .where('deleted_at', 'is', null),
);

export async function createFormKey(
  { accountId, name, origins, checksPerDay, checksPerVisitor }: FormKeyRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<({ kind: 'created' } & FormKey) | { kind: 'too_many_keys' }> {
  const now = wallClock.now();
  const key = makeFormKey();
  return store.write(async (tx) => {
    const limits = { perDay: checksPerDay, perVisitor: checksPerVisitor };
    const row = { id: key, account: accountId, name, origins: JSON.stringify(origins), ...limits, now };
    if ((await tx.change(insertKey, row)) === 0) return { kind: 'too_many_keys' };
    const detail = { account_id: accountId, origins: origins.join(' ') };
    await recordChange(tx, { actor, action: 'form_key_created', subject: key, detail, now });
    return { kind: 'created', key, name, origins, checksPerDay, checksPerVisitor, createdAt: now };
    // With the account as its serial key: counting the keys must not run concurrently with adding one.
  }, accountId);
}

/** The newest first. */
export async function listFormKeys(
  accountId: string,
  { store }: { store: Pick<Store, 'read'> },
): Promise<FormKey[]> {
  const rows = await store.read.all(findKeys, { account: accountId });
  return rows.map((row) => ({
    key: row.id,
    name: row.name,
    origins: JSON.parse(row.origins) as string[],
    checksPerDay: row.checks_per_day,
    checksPerVisitor: row.checks_per_visitor,
    createdAt: row.created_at,
  }));
}

/** It stops working within a second in every process. */
export async function deleteFormKey(
  { key, accountId }: { key: string; accountId: string },
  { store, wallClock, actor }: ChangeParts,
): Promise<{ kind: 'deleted' } | { kind: 'key_not_found' }> {
  const now = wallClock.now();
  return store.write(async (tx) => {
    if ((await tx.change(markDeleted, { id: key, account: accountId, now })) === 0)
      return { kind: 'key_not_found' };
    const detail = { account_id: accountId };
    await recordChange(tx, { actor, action: 'form_key_deleted', subject: key, detail, now });
    return { kind: 'deleted' };
  });
}
