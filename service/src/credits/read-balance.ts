import { statement, type Reader } from '../db/statement.ts';
import type { Balance } from './credits.ts';

const findBalance = statement((db, arg: { account: string }) =>
  db
    .selectFrom('account')
    .select(['granted', 'available', 'reserved', 'spent'])
    .where('id', '=', arg.account),
);

export async function readBalance(reader: Reader, accountId: string): Promise<Balance | undefined> {
  return reader.first(findBalance, { account: accountId });
}
