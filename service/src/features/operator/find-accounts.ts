import { sql, type Kysely } from 'kysely';
import type { Balance } from '../../core/ledger/credits.ts';
import type { Schema } from '../../core/store/schema.ts';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { Account } from '../../core/keys/accounts/create-account.ts';

/** Accounts as the operator sees them, the newest first. */
export type AccountState = Account & {
  credits: Balance;
  frozen: boolean;
  /** What the operator allows; null where it is as many as the setting says. */
  requestsPerMinute: number | null;
  createdAt: number;
};

/** Where a page begins: after this account. */
export type AccountPlace = { createdAt: number; accountId: string };

export type FindAccountsRequest = {
  limit: number;
  after: AccountPlace | undefined;
  /** An account's id, or a part of its name. */
  search: string | undefined;
};

const columns = (db: Kysely<Schema>) =>
  db
    .selectFrom('account')
    .select(['id', 'name', 'plan', 'granted', 'available', 'reserved', 'spent', 'frozen_at', 'created_at'])
    .select('requests_per_minute');

type Page = { at: number; id: string; limit: number };

const newestFirst = (db: Kysely<Schema>, arg: Page) =>
  columns(db)
    .where(sql<boolean>`(created_at, id) < (${arg.at}, ${arg.id})`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(arg.limit);

const findPage = statement((db, arg: Page) => newestFirst(db, arg));

const searchPage = statement((db, arg: Page & { search: string; pattern: string }) =>
  newestFirst(db, arg).where((eb) =>
    eb.or([eb('id', '=', arg.search), sql<boolean>`lower(name) like lower(${arg.pattern}) escape '!'`]),
  ),
);

const findOne = statement((db, arg: { account: string }) => columns(db).where('id', '=', arg.account));

type FindParts = { store: Pick<Store, 'read'> };

export async function findAccounts(
  { limit, after, search }: FindAccountsRequest,
  { store }: FindParts,
): Promise<{ accounts: AccountState[]; next: AccountPlace | undefined }> {
  const { createdAt: at, accountId: id } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, accountId: '' };
  // One more than is shown, to know whether there is a next page.
  const page = { at, id, limit: limit + 1 };
  const rows =
    search === undefined
      ? await store.read.all(findPage, page)
      : await store.read.all(searchPage, {
          ...page,
          search,
          pattern: `%${search.replace(/[!%_]/g, '!$&')}%`,
        });
  const accounts = rows.slice(0, limit).map(stateOf);
  return { accounts, next: rows.length > limit ? accounts.at(-1) : undefined };
}

export async function findAccount(
  accountId: string,
  { store }: FindParts,
): Promise<AccountState | undefined> {
  const row = await store.read.first(findOne, { account: accountId });
  return row && stateOf(row);
}

type AccountRow = Pick<Schema['account'], 'id' | 'name' | 'plan' | 'frozen_at' | 'created_at'> &
  Balance & { requests_per_minute: number | null };

function stateOf({
  id,
  name,
  plan,
  frozen_at,
  created_at,
  requests_per_minute,
  ...figures
}: AccountRow): AccountState {
  const { granted, available, reserved, spent } = figures;
  const credits = { granted, available, reserved, spent };
  return {
    accountId: id,
    name,
    plan,
    credits,
    frozen: frozen_at !== null,
    requestsPerMinute: requests_per_minute,
    createdAt: created_at,
  };
}

const allAccounts = statement((db) =>
  db.selectFrom('account').select(['id', 'name', 'plan']).orderBy('created_at').orderBy('id'),
);

/** Every account, the oldest first, for the command line. */
export async function listAccounts({ store }: FindParts): Promise<Account[]> {
  const rows = await store.read.all(allAccounts, {});
  return rows.map(({ id, name, plan }) => ({ accountId: id, name, plan }));
}
