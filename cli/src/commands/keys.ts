import { deleteKey, issueKey, listAccounts, listKeys, type ListedKey } from '@mailproof/service';
import { defineCommand, type CommandGroup } from '../command.ts';
import { noAccount, refuse, say, type Said } from '../store/answer.ts';
import { withStore } from '../store/with-store.ts';

const create = defineCommand({
  name: 'keys create',
  takes: 'ACCOUNT [--test]',
  summary: 'issue a key; it is shown this once and stored nowhere',
  options: {
    test: { type: 'flag', meaning: 'a test key: answered by the sandbox, no credit moved, no packet sent' },
    json: { type: 'flag', meaning: '{key_id, api_key, account_id}' },
  },
  examples: [
    'mailproof keys create acct_0123456789abcdef',
    'mailproof keys create acct_0123456789abcdef --test --json',
  ],
  words: { least: 1, most: 1 },
  run: ({ options, positionals: [accountId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const answer = await issueKey({ accountId, mode: options.test ? 'test' : 'live' }, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      if (answer.kind === 'too_many_keys')
        return refuse('the account has as many keys as it may have: delete one first', surroundings);
      const { keyId, apiKey } = answer;
      if (!options.json) surroundings.terminal.tell('Keep this key now: it is not shown again.');
      return await say(
        [{ row: { key_id: keyId, api_key: apiKey, account_id: accountId }, words: apiKey }],
        options,
        surroundings,
      );
    }),
});

const list = defineCommand({
  name: 'keys list',
  takes: 'ACCOUNT [--json]',
  summary: 'list the keys of an account, deleted ones too, never the keys themselves',
  options: {
    json: {
      type: 'flag',
      meaning: '{key_id, account_id, mode, created_at, deleted_at}, one a line, null where not deleted',
    },
  },
  examples: ['mailproof keys list acct_0123456789abcdef'],
  words: { least: 1, most: 1 },
  run: ({ options, positionals: [accountId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const keys = await listKeys(accountId, parts);
      const isKnown =
        keys.length > 0 || (await listAccounts(parts)).some((account) => account.accountId === accountId);
      if (!isKnown) return noAccount(accountId, surroundings);
      if (keys.length === 0) surroundings.terminal.tell('no keys yet');
      return await say(keys.map(saidOf), options, surroundings);
    }),
});

const remove = defineCommand({
  name: 'keys delete',
  takes: 'KEY_ID',
  summary: 'delete a key; it stops working within a second',
  options: { json: { type: 'flag', meaning: '{key_id, account_id}' } },
  examples: ['mailproof keys delete KEY_ID'],
  words: { least: 1, most: 1 },
  run: ({ options, positionals: [keyId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const answer = await deleteKey({ keyId }, parts);
      // Whoever pastes the whole key instead of its id must not find it in a log.
      if (answer.kind === 'key_not_found')
        return refuse(
          'there is no such key, or it is deleted; mailproof keys list ACCOUNT shows the ids',
          surroundings,
        );
      const row = { key_id: answer.keyId, account_id: answer.accountId };
      return await say([{ row, words: `${answer.keyId} deleted` }], options, surroundings);
    }),
});

export const keysCommand: CommandGroup = {
  kind: 'group',
  name: 'keys',
  summary: 'issue, list and delete API keys',
  actions: { create, list, delete: remove },
};

function saidOf({ keyId, accountId, mode, createdAt, deletedAt }: ListedKey): Said {
  const created = new Date(createdAt).toISOString();
  const deleted = deletedAt === null ? null : new Date(deletedAt).toISOString();
  return {
    row: { key_id: keyId, account_id: accountId, mode, created_at: created, deleted_at: deleted },
    words: `${keyId}  ${mode}  created ${created.slice(0, 10)}${deleted === null ? '' : `  deleted ${deleted.slice(0, 10)}`}`,
  };
}
