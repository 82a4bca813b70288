import type { CallName } from './ask-every-api.ts';
import type { Installation } from './open-installation.ts';
import { takeEveryConnection } from './take-every-connection.ts';

/** A failure of the database, and its repair. */
type Trouble = {
  name: string;
  /** The calls that cannot be served meanwhile. The others are served or refused, but none is left waiting. */
  refused: readonly CallName[];
  /** Whether a refusal proves that nothing was committed: not if the connection is lost at the moment of a commit. */
  certain: boolean;
  begin: (installation: Installation) => Promise<() => Promise<void> | void>;
};

const everything: CallName[] = ['single', 'bulk', 'poll', 'account', 'tasks', 'operator'];

export const databaseTroubles: readonly Trouble[] = [
  { name: 'gone', refused: everything, certain: false, begin: halt },
  {
    name: 'silent',
    refused: everything,
    certain: false,
    begin: ({ postgres }) => Promise.resolve(postgres.freeze()),
  },
  { name: 'out of connections', refused: everything, certain: false, begin: takeEveryConnection },
  {
    name: 'accounts locked by somebody else',
    refused: ['single', 'bulk', 'account', 'operator'],
    certain: true,
    begin: ({ postgres }) => postgres.lockTable('account'),
  },
  {
    name: 'tasks locked by somebody else',
    refused: ['bulk', 'poll', 'tasks'],
    certain: true,
    begin: ({ postgres }) => postgres.lockTable('task'),
  },
  {
    name: 'slow',
    refused: ['single', 'bulk', 'account', 'operator'],
    certain: true,
    begin: slowDown,
  },
];

async function halt({ postgres }: Installation): Promise<() => Promise<void>> {
  await postgres.halt('immediate');
  return () => postgres.resume();
}

/** Makes every statement on an account, reading or writing, take three seconds per row. */
async function slowDown({ query }: Installation): Promise<() => Promise<void>> {
  await query('alter table account rename to account_itself');
  await query('create view account as select * from account_itself where pg_sleep(3) is not null');
  return async () => {
    await query('drop view account');
    await query('alter table account_itself rename to account');
  };
}
