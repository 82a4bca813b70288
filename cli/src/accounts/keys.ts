import {
  changeKey,
  deleteKey,
  issueKey,
  listAccounts,
  listKeys,
  readKeyLimits,
  type LimitsWish,
  type ListedKey,
} from '@mailproof/service';
import { keyScopes, type KeyLimitsRequest, type KeyScope } from '@mailproof/client';
import { defineCommand, type CommandGroup } from '../command.ts';
import { noAccount, printRows, refuse, withStore, type PrintedRow } from '../store/with-store.ts';

/** The limits of a key, the same for a new key and for an existing one. */
const limitOptions = {
  name: { type: 'text', placeholder: 'NAME', meaning: 'name of the key' },
  scopes: {
    type: 'text',
    placeholder: 'SCOPE,…',
    meaning: `scopes of the key: ${keyScopes.join(', ')} (default: everything)`,
  },
  expires: {
    type: 'text',
    placeholder: 'TIME',
    meaning: 'when it stops working: 2027-01-31, or with a time',
  },
  allow: { type: 'text', placeholder: 'CIDR,…', meaning: 'IP addresses and blocks it may be used from' },
  'credits-per-day': { type: 'text', placeholder: 'N', meaning: 'credits it may use on a day of UTC' },
} as const;

const create = defineCommand({
  name: 'keys create',
  takes: 'ACCOUNT [--test]',
  summary: 'create a key; it is shown once and not stored',
  options: {
    ...limitOptions,
    test: {
      type: 'flag',
      meaning: 'create a test key: answered by the sandbox, free, contacts no mail server',
    },
    json: { type: 'flag', meaning: '{key_id, api_key, account_id}' },
  },
  examples: [
    'mailproof keys create acct_0123456789abcdef',
    'mailproof keys create acct_0123456789abcdef --test --json',
    'mailproof keys create acct_0123456789abcdef --scopes verify,tasks',
  ],
  words: { required: ['ACCOUNT'], most: 1 },
  run: async ({ options, positionals: [accountId = ''], ...surroundings }) => {
    const limits = readLimits(options);
    if (limits === undefined) return explainLimits(surroundings);
    return withStore(surroundings, async (parts) => {
      const mode = options.test ? 'test' : 'live';
      const answer = await issueKey({ accountId, mode, name: options.name, limits }, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      if (answer.kind === 'too_many_keys')
        return refuse('The account has reached its limit of keys. Delete one first.', surroundings);
      if (answer.kind !== 'issued') return explainLimits(surroundings);
      const { keyId, apiKey } = answer;
      if (!options.json) surroundings.terminal.tell('Save this key now. It will not be shown again.');
      return await printRows(
        [{ row: { key_id: keyId, api_key: apiKey, account_id: accountId }, words: apiKey }],
        options,
        surroundings,
      );
    });
  },
});

const change = defineCommand({
  name: 'keys change',
  takes: 'KEY_ID',
  summary: 'change the name or the limits of a key, within a second',
  options: {
    ...limitOptions,
    json: { type: 'flag', meaning: '{key_id, account_id}' },
  },
  examples: [
    'mailproof keys change KEY_ID --credits-per-day 500 --allow 192.0.2.0/24',
    'mailproof keys change KEY_ID --expires none --scopes none',
  ],
  words: { required: ['KEY_ID'], most: 1 },
  run: async ({ options, positionals: [keyId = ''], ...surroundings }) => {
    const limits = readLimits(options);
    const { name } = options;
    if (limits === undefined || (name === undefined && Object.keys(limits).length === 0))
      return explainLimits(surroundings);
    return withStore(surroundings, async (parts) => {
      const answer = await changeKey({ keyId, name, limits }, parts);
      if (answer.kind === 'key_not_found') return noKey(surroundings);
      if (answer.kind !== 'changed') return explainLimits(surroundings);
      const row = { key_id: answer.keyId, account_id: answer.accountId };
      return await printRows([{ row, words: `${answer.keyId} changed` }], options, surroundings);
    });
  },
});

const list = defineCommand({
  name: 'keys list',
  takes: 'ACCOUNT [--json]',
  summary: 'list the keys of an account by ID, including deleted ones',
  options: {
    json: {
      type: 'flag',
      meaning: 'print {key_id, account_id, mode, created_at, deleted_at, …limits, last_used}, one per line',
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
      if (answer.kind === 'key_not_found') return noKey(surroundings);
      const row = { key_id: answer.keyId, account_id: answer.accountId };
      return await printRows([{ row, words: `${answer.keyId} deleted` }], options, surroundings);
    }),
});

export const keysCommand: CommandGroup = {
  kind: 'group',
  name: 'keys',
  summary: 'create, list, change and delete API keys',
  actions: { create, list, change, delete: remove },
};

type LimitOptions = Partial<Record<'scopes' | 'expires' | 'allow' | 'credits-per-day', string | undefined>>;

/** `none` takes a limit away. */
function readLimits(options: LimitOptions): LimitsWish | undefined {
  const { scopes, expires, allow, 'credits-per-day': credits } = options;
  const request: KeyLimitsRequest = {};
  // `readKeyLimits` refuses unknown scopes and texts that are not numbers.
  if (scopes !== undefined) request.scopes = scopes === 'none' ? null : (listOf(scopes) as KeyScope[]);
  if (expires !== undefined) request.expires_at = expires === 'none' ? null : expires;
  if (allow !== undefined) request.allowed_ips = allow === 'none' ? null : listOf(allow);
  if (credits !== undefined) request.credits_per_day = credits === 'none' ? null : Number(credits);
  return readKeyLimits(request);
}

function listOf(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

type Surroundings = Parameters<typeof refuse>[1];

function explainLimits(surroundings: Surroundings) {
  return refuse(
    `SCOPE is one of ${keyScopes.join(', ')}; TIME lies ahead, as in 2027-01-31 or 2027-01-31T12:00Z; ` +
      'CIDR is as in 192.0.2.0/24; N is a number above 0, for live keys; none takes a limit away.',
    surroundings,
  );
}

/** The message does not repeat the text: it may be a whole key instead of its id. */
function noKey(surroundings: Surroundings) {
  return refuse(
    'No such key, or it is already deleted. To see key IDs, run mailproof keys list ACCOUNT.',
    surroundings,
  );
}

function keyRow({ keyId, accountId, mode, limits, ...key }: ListedKey): PrintedRow {
  const created = new Date(key.createdAt).toISOString();
  const deleted = key.deletedAt === null ? null : new Date(key.deletedAt).toISOString();
  const expires = limits.expiresAt === null ? null : new Date(limits.expiresAt).toISOString();
  const used = key.lastUsedDay === null ? null : dayOf(key.lastUsedDay);
  const words = [
    `${keyId}  ${mode}  created ${created.slice(0, 10)}`,
    ...(used === null ? [] : [`last used ${used}`]),
    ...(deleted === null ? [] : [`deleted ${deleted.slice(0, 10)}`]),
    ...(limits.scopes === null ? [] : [`only ${limits.scopes.join(',')}`]),
    ...(expires === null ? [] : [`expires ${expires}`]),
    ...(limits.allowedIps === null ? [] : [`from ${limits.allowedIps.join(',')}`]),
    ...(limits.creditsPerDay === null ? [] : [`${limits.creditsPerDay} credits a day`]),
  ];
  return {
    row: {
      key_id: keyId,
      account_id: accountId,
      mode,
      created_at: created,
      deleted_at: deleted,
      scopes: limits.scopes,
      expires_at: expires,
      allowed_ips: limits.allowedIps,
      credits_per_day: limits.creditsPerDay,
      last_used: used,
    },
    words: words.join('  '),
  };
}

/** A day since the epoch, as it is written. */
function dayOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
