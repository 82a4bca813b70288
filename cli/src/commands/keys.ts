import { deleteKey, issueKey, listAccounts, listKeys, type ListedKey } from '@mailproof/service';
import { defineCommand, type CommandGroup } from '../command.ts';
import { noAccount, refuse, printRows, type PrintedRow } from '../store/print-rows.ts';
import { withStore } from '../store/with-store.ts';

const create = defineCommand({
  name: 'keys create',
  takes: 'ACCOUNT [--test]',
  summary: 'create a key; it is shown once and not stored',
  options: {
    test: {
      type: 'flag',
      meaning: 'create a test key: answered by the sandbox, free, contacts no mail server',
    },
    json: { type: 'flag', meaning: '{key_id, api_key, account_id}' },
  },
  examples: [
    'mailproof keys create acct_0123456789abcdef',
    'mailproof keys create acct_0123456789abcdef --test --json',
  ],
  words: { required: ['ACCOUNT'], most: 1 },
  run: ({ options, positionals: [accountId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const answer = await issueKey({ accountId, mode: options.test ? 'test' : 'live' }, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      if (answer.kind === 'too_many_keys')
        return refuse('The account has reached its limit of keys. Delete one first.', surroundings);
      const { keyId, apiKey } = answer;
      if (!options.json) surroundings.terminal.tell('Save this key now. It will not be shown again.');
      return await printRows(
        [{ row: { key_id: keyId, api_key: apiKey, account_id: accountId }, words: apiKey }],
        options,
        surroundings,
      );
    }),
});

const list = defineCommand({
  name: 'keys list',
  takes: 'ACCOUNT [--json]',
  summary: 'list the keys of an account by ID, including deleted ones',
  options: {
    json: {
      type: 'flag',
      meaning: 'print {key_id, account_id, mode, created_at, deleted_at}, one per line',
    },
  },
  examples: ['mailproof keys list acct_0123456789abcdef'],
  words: { required: ['ACCOUNT'], most: 1 },
  run: ({ options, positionals: [accountId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const keys = await listKeys(accountId, parts);
      const isKnown =
        keys.length > 0 || (await listAccounts(parts)).some((account) => account.accountId === accountId);
      if (!isKnown) return noAccount(accountId, surroundings);
      if (keys.length === 0) surroundings.terminal.tell('No keys yet');
      return await printRows(keys.map(keyRow), options, surroundings);
    }),
});

const remove = defineCommand({
  name: 'keys delete',
  takes: 'KEY_ID',
  summary: 'delete a key; it stops working within a second',
  options: { json: { type: 'flag', meaning: '{key_id, account_id}' } },
  examples: ['mailproof keys delete KEY_ID'],
  words: { required: ['KEY_ID'], most: 1 },
  run: ({ options, positionals: [keyId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const answer = await deleteKey({ keyId }, parts);
      // Whoever pastes the whole key instead of its id must not find it in a log.
      if (answer.kind === 'key_not_found')
        return refuse(
          'No such key, or it is already deleted. To see key IDs, run mailproof keys list ACCOUNT.',
          surroundings,
        );
      const row = { key_id: answer.keyId, account_id: answer.accountId };
      return await printRows([{ row, words: `${answer.keyId} deleted` }], options, surroundings);
    }),
});

export const keysCommand: CommandGroup = {
  kind: 'group',
  name: 'keys',
  summary: 'create, list and delete API keys',
  actions: { create, list, delete: remove },
};

function keyRow({ keyId, accountId, mode, createdAt, deletedAt }: ListedKey): PrintedRow {
  const created = new Date(createdAt).toISOString();
  const deleted = deletedAt === null ? null : new Date(deletedAt).toISOString();
  return {
    row: { key_id: keyId, account_id: accountId, mode, created_at: created, deleted_at: deleted },
    words: `${keyId}  ${mode}  created ${created.slice(0, 10)}${deleted === null ? '' : `  deleted ${deleted.slice(0, 10)}`}`,
  };
}
