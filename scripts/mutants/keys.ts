import { defectsOf, type Mutant } from './mutant.ts';

const forms = ['service/src/core/keys/keys.test.ts'];
const limited = 'service/src/core/keys/limited-keys.test.ts';
const limits = [limited, 'service/src/core/http/key-limits.test.ts'];
const management = [limited, 'service/src/features/account/routes/account-keys.test.ts'];
const capped = ['service/src/core/ledger/daily-cap.test.ts', ...limits];
const audited = [limited, 'service/src/features/operator/audit-log/audit-log.test.ts'];
const people = ['service/src/features/people/routes/people.test.ts'];

export const keyMutants: readonly Mutant[] = [
  ...defectsOf('service/src/core/keys/authenticate.ts', forms, {
    'a key with a wrong secret is taken': ['row === undefined || !same ||', 'row === undefined ||'],
    'a live key is taken as a test key': ['!same || row.mode !== presented.mode', '!same'],
    'a deleted key is still taken': [`\n    .where('api_key.deleted_at', 'is', null)`, ''],
    'a deleted key is remembered for a minute': ['const rememberMs = 900;', 'const rememberMs = 60_000;'],
    'an unknown id answers faster than a wrong secret': [
      'row === undefined ? noSecret :',
      'row === undefined ? hashSecret(presented.secret) :',
      'Both are compared in the same time; only the answer for an unknown id could differ, and a second condition refuses it.',
    ],
  }),
  ...defectsOf('service/src/core/keys/authenticate.ts', limits, {
    'an expired key is still taken': ['row.expires_at <= wallClock.now()', 'row.expires_at < 0'],
    'a key is remembered past its expiry': [
      'Math.min(until - clock.now(), msToExpiry(caller, wallClock))',
      'until - clock.now()',
    ],
  }),
  ...defectsOf('service/src/core/keys/authenticate.ts', capped, {
    'a cap is not asked about': ['capped: (limits?.creditsPerDay ?? null) !== null', 'capped: false'],
  }),
  ...defectsOf('service/src/core/keys/authenticate.ts', people, {
    'a limited key has power over people': ['return limits === undefined && mode', 'return mode'],
    'a test key has power over people': [`limits === undefined && mode === 'live'`, 'limits === undefined'],
  }),
  ...defectsOf('service/src/core/keys/api-key.ts', forms, {
    'a slip is looked up in the store': ['if (base62Checksum(body) !== checksum) return undefined;', ''],
    'every key has the same secret': ['randomBytes(32)', 'Buffer.alloc(32)'],
    'a test key reads as a live one': [`mode: mode === 'live' ? 'live' : 'test'`, `mode: 'live'`],
  }),
  ...defectsOf('service/src/core/keys/change-key.ts', limits, {
    'a limited key cuts down a stronger one': [
      'if (refused !== undefined) return refused;',
      `if (refused === 'live_key_required') return refused;`,
    ],
    'a limited key renames a stronger one': [
      `return isNoStronger(limits, capless(changer.limits, mode)) ? undefined : 'insufficient_scope';`,
      'return undefined;',
    ],
    'a limited key gives more than it has': [
      `return isWithin(after, capless(changer.limits, mode)) ? undefined : 'insufficient_scope';`,
      'return undefined;',
    ],
    'a key of another account is changed': [
      '(request.accountId ?? row.account_id) !== row.account_id',
      `row.account_id === ''`,
    ],
    'a test key changes a live one': [
      `if (mode === 'live' && changer.mode === 'test') return 'live_key_required';`,
      '',
    ],
    'a test key has a cap': [
      `if (mode === 'test' && after.creditsPerDay !== null) return 'invalid_request';`,
      '',
    ],
    'a change takes away limits that it does not name': [
      '{ ...limits, ...request.limits }',
      '{ ...limits, allowedIps: null, ...request.limits }',
    ],
    'a change of limits takes the name away': ['request.name ?? row.name', `request.name ?? ''`],
    'a key is changed to one that has expired': ['if (expiresTooEarly(request.limits, now))', 'if (now < 0)'],
  }),
  ...defectsOf('service/src/core/keys/change-key.ts', audited, {
    'a change of limits is written down as a new name': [
      `changesLimits ? 'key_changed'`,
      `!changesLimits ? 'key_changed'`,
    ],
  }),
  ...defectsOf('service/src/core/keys/delete-key.ts', management, {
    'a key of another account is deleted': [
      '(accountId ?? row.account_id) !== row.account_id',
      `row.account_id === ''`,
    ],
  }),
  ...defectsOf('service/src/core/keys/delete-key.ts', limits, {
    'a limited key deletes a stronger one': ['if (refused !== undefined) return { kind: refused };', ''],
  }),
  ...defectsOf('service/src/core/keys/delete-key.ts', audited, {
    'a deletion is not written down': [
      `await recordChange(tx, { actor, action: 'key_deleted'`,
      `if (now < 0) await recordChange(tx, { actor, action: 'key_deleted'`,
    ],
  }),
  ...defectsOf('service/src/core/keys/issue-key.ts', management, {
    'an account has a key too many': [`          '<',\n`, `          '<=',\n`],
    'deleted keys count': [`\n              .where('living.deleted_at', 'is', null)`, ''],
    'the keys of all accounts count': [
      `\n              .whereRef('living.account_id', '=', 'account.id')`,
      '',
    ],
  }),
  ...defectsOf('service/src/core/keys/issue-key.ts', limits, {
    'a key is issued that has expired': ['if (expiresTooEarly(request.limits ?? {}, now))', 'if (now < 0)'],
    'a limited key makes a stronger one': ['if (refused !== undefined) return { kind: refused };', ''],
  }),
  ...defectsOf('service/src/core/keys/issue-key.ts', forms, {
    'the secret is stored': [
      `hashSecret(key.secret).toString('hex')`,
      `Buffer.from(key.secret).toString('hex')`,
    ],
    'a key is listed with the first four of its secret': ['key.secret.slice(-4)', 'key.secret.slice(0, 4)'],
    'an unknown account gets a key': [
      '(await tx.first(findAccount, { account: request.accountId })) === undefined',
      'now < 0',
    ],
  }),
  ...defectsOf('service/src/core/keys/key-limits.ts', limits, {
    'a key without expiry is made by one that has one': [
      '(inner.expiresAt ?? Infinity)',
      '(inner.expiresAt ?? 0)',
    ],
    'a key for every place is made by one for a few': [
      'if (inner === null) return false;',
      'if (inner === null) return true;',
    ],
    'one block within is enough': ['blocksOf(inner).every((block)', 'blocksOf(inner).some((block)'],
    'caps add up': ['isNoWider(inner, outer) && outer.creditsPerDay === null', 'isNoWider(inner, outer)'],
    'a key with a larger cap is no stronger': [
      '(inner.creditsPerDay ?? Infinity)',
      '(inner.creditsPerDay ?? 0)',
    ],
    'a key with all scopes has no more than a limited one': ['?? false);', '?? true);'],
    'a key is good everywhere': [
      'allowedIps === null || isInBlocks',
      'allowedIps !== undefined || isInBlocks',
    ],
    'one limit is none': ['.some((limit) => limit !== null)', '.every((limit) => limit !== null)'],
    'every scope has every power': [
      'scopes === null || scopes.includes(power)',
      'scopes === null || scopes.length > 0',
    ],
  }),
  ...defectsOf('service/src/core/keys/key-limits.ts', people, {
    'a member may not look at what they may do': [' || scopes.includes(wholeOf(power))', ''],
  }),
  ...defectsOf('service/src/core/keys/list-keys.ts', management, {
    'deleted keys are shown': ['({ deletedAt }) => deletedAt === null', '({ deletedAt }) => deletedAt !== 0'],
    'the oldest key is shown first': ['=> deletedAt === null).reverse()', '=> deletedAt === null)'],
  }),
  ...defectsOf('service/src/core/keys/list-keys.ts', limits, {
    'what was used yesterday counts today': [
      'row.capped_day >= today ? row.capped_credits : 0',
      'row.capped_credits',
    ],
  }),
  ...defectsOf('service/src/core/keys/note-key-uses.ts', forms, {
    'the day of the last use goes back': [
      `eb('last_used_day', '<', arg.day)`,
      `eb('last_used_day', '>', arg.day)`,
    ],
    'a first use is not noted': [
      'lastUsedDay === null || lastUsedDay < today',
      'lastUsedDay !== null && lastUsedDay < today',
    ],
  }),
  ...defectsOf('service/src/core/keys/read-key-limits.ts', limits, {
    'no scope at all is a limit': ['scopes.length === 0 || ', ''],
    'a scope that does not exist is taken': [
      '!scopes.every((scope) => keyScopes.includes(scope))',
      'scopes.length > 99',
    ],
    'a key has any number of blocks': ['texts.length > contractLimits.keyAllowedIps', 'texts.length > 1_000'],
    'a block that is none is taken': ['|| !texts.every(isBlock)', ''],
    'a cap of nothing is taken': ['credits >= 1', 'credits >= 0'],
    'a time that is none is taken': [
      'timeShape.test(text) ? Date.parse(text) : NaN',
      'Date.parse(text) || 1e15',
    ],
  }),
];
