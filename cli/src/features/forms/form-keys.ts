import {
  createFormKey,
  deleteFormKey,
  listAccounts,
  listFormKeys,
  readOrigin,
  type FormKey,
} from '@mailproof/service';
import { defineCommand, exitCodes, type CommandGroup } from '../../command.ts';
import { noAccount, printRows, refuse, withStore, type PrintedRow } from '../../store/with-store.ts';

const create = defineCommand({
  name: 'form-keys create',
  takes: 'ACCOUNT ORIGIN…',
  summary: 'create a publishable key for sign-up forms on these pages',
  options: {
    name: { type: 'text', placeholder: 'NAME', meaning: 'name of the key (default: Sign-up form)' },
    'per-day': { type: 'text', placeholder: 'N', meaning: 'checks a day with this key (default: 10000)' },
    'per-visitor': { type: 'text', placeholder: 'N', meaning: 'checks a day for one visitor (default: 100)' },
    json: { type: 'flag', meaning: 'print {form_key, account_id, name, origins, …}' },
  },
  examples: [
    'mailproof form-keys create acct_0123456789abcdef https://www.example.com',
    'mailproof form-keys create ACCOUNT https://www.example.com --per-day 50000',
  ],
  words: { required: ['ACCOUNT', 'ORIGIN'], most: 21 },
  run: async ({ options, positionals: [accountId = '', ...pages], ...surroundings }) => {
    const origins = pages.flatMap((page) => readOrigin(page) ?? []);
    const perDay = readCount(options['per-day'], 10_000);
    const perVisitor = readCount(options['per-visitor'], 100);
    if (origins.length < pages.length || perDay === undefined || perVisitor === undefined) {
      surroundings.terminal.tell(
        'mailproof: an ORIGIN is scheme, host and port, as in https://www.example.com; N is a number above 0',
      );
      return exitCodes.usage;
    }
    return withStore(surroundings, async (parts) => {
      const isKnown = (await listAccounts(parts)).some((account) => account.accountId === accountId);
      if (!isKnown) return noAccount(accountId, surroundings);
      const limits = { checksPerDay: perDay, checksPerVisitor: perVisitor };
      const { name = 'Sign-up form' } = options;
      const answer = await createFormKey({ accountId, name, origins, ...limits }, parts);
      if (answer.kind === 'too_many_keys')
        return refuse('The account has reached its limit of keys. Delete one first.', surroundings);
      const { row } = rowOf(answer, accountId);
      return await printRows([{ row, words: answer.key }], options, surroundings);
    });
  },
});

const list = defineCommand({
  name: 'form-keys list',
  takes: 'ACCOUNT [--json]',
  summary: 'list the publishable keys of an account',
  options: {
    json: { type: 'flag', meaning: 'print {form_key, account_id, name, origins, …}, one per line' },
  },
  examples: ['mailproof form-keys list acct_0123456789abcdef'],
  words: { required: ['ACCOUNT'], most: 1 },
  run: ({ options, positionals: [accountId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const isKnown = (await listAccounts(parts)).some((account) => account.accountId === accountId);
      if (!isKnown) return noAccount(accountId, surroundings);
      const keys = await listFormKeys(accountId, parts);
      if (keys.length === 0) surroundings.terminal.tell('No publishable keys yet');
      return await printRows(
        keys.map((key) => rowOf(key, accountId)),
        options,
        surroundings,
      );
    }),
});

const remove = defineCommand({
  name: 'form-keys delete',
  takes: 'ACCOUNT FORM_KEY',
  summary: 'delete a publishable key; it stops working within a second',
  options: { json: { type: 'flag', meaning: '{form_key, account_id}' } },
  examples: ['mailproof form-keys delete acct_0123456789abcdef mp_pub_…'],
  words: { required: ['ACCOUNT', 'FORM_KEY'], most: 2 },
  run: ({ options, positionals: [accountId = '', key = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const answer = await deleteFormKey({ accountId, key }, parts);
      if (answer.kind === 'key_not_found')
        return refuse(
          'The account has no such publishable key. To see them, run mailproof form-keys list ACCOUNT.',
          surroundings,
        );
      const row = { form_key: key, account_id: accountId };
      return await printRows([{ row, words: `${key} deleted` }], options, surroundings);
    }),
});

export const formKeysCommand: CommandGroup = {
  kind: 'group',
  name: 'form-keys',
  summary: 'create, list and delete publishable keys for sign-up forms',
  actions: { create, list, delete: remove },
};

function readCount(text: string | undefined, usual: number): number | undefined {
  if (text === undefined) return usual;
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}

function rowOf({ key, name, origins, ...rest }: FormKey, accountId: string): PrintedRow {
  return {
    row: {
      form_key: key,
      account_id: accountId,
      name,
      origins: origins.join(' '),
      checks_per_day: rest.checksPerDay,
      checks_per_visitor: rest.checksPerVisitor,
      created_at: new Date(rest.createdAt).toISOString(),
    },
    words: `${key}  ${origins.join(' ')}  ${rest.checksPerDay} a day, ${rest.checksPerVisitor} for a visitor  ${name}`,
  };
}
