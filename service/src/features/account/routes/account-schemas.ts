import {
  contractLimits,
  keyScopes,
  type Account,
  type AccountKey,
  type AccountTask,
  type CreatedKey,
  type KeyList,
  type KeyChange,
  type KeyRequest,
  type LedgerEntry,
  type LedgerPage,
  type TaskPage,
  type Usage,
} from '@mailproof/client';
import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';
import type { SameType } from '../../../core/http/schemas/same-type.ts';

const exampleTaskId = '3f2c8a9e-5b1d-4c7e-9a64-0d7e1b2c3f45';
const exampleRequestId = '019a7c52-6e0b-7d1f-8a3c-5b6d7e8f9a0b';
const count = (description: string) => Type.Integer({ minimum: 0, description });
const time = (description: string) => Type.String({ description });
const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

/** Describes a response body with an example and without undescribed fields. */
function answerSchema<Properties extends TProperties>(
  properties: Properties,
  { title, description, example }: { title: string; description: string; example: object },
): TObject<Properties> {
  return Type.Object(properties, { title, description, additionalProperties: false, examples: [example] });
}

const keyModeSchema = stringEnum(['live', 'test']);

const exampleAccount: Account = {
  account_id: 'acct_0123456789abcdef',
  name: 'Example Ltd',
  plan: 'paid',
  credits: { granted: 1_000, available: 900, reserved: 20, spent: 80 },
  frozen: false,
  key: { key_id: '0aB1cD2e', name: 'Live key', mode: 'live' },
};

export const creditsSchema = Type.Object(
  {
    granted: count('All credits there ever were: available + reserved + spent'),
    available: count('To be had'),
    reserved: count('Held by what is under way'),
    spent: count('Charged'),
  },
  { title: 'Credits', additionalProperties: false },
);

export const accountSchema = answerSchema(
  {
    account_id: Type.String(),
    name: Type.String(),
    plan: stringEnum(['paid', 'none']),
    credits: creditsSchema,
    frozen: Type.Boolean({
      description:
        'Whether the account is frozen because its ledger does not balance; nothing can be reserved',
    }),
    key: Type.Union(
      [
        Type.Object(
          { key_id: Type.String(), name: Type.String(), mode: keyModeSchema },
          { title: 'RequestKey', additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The key of this request; null where a person has signed in' },
    ),
  },
  { title: 'Account', description: 'The account', example: exampleAccount },
);

export const nextSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Send it as `before` to get the next page; null on the last page',
});

const exampleEntry: LedgerEntry = {
  number: 2,
  kind: 'reserve',
  credits: 2,
  at: '2026-01-02T03:04:05.678Z',
  available: 998,
  reserved: 2,
  spent: 0,
  task_id: exampleTaskId,
  request_id: exampleRequestId,
};

const ledgerEntrySchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Counts from 1 without gaps' }),
    kind: stringEnum(['grant', 'reserve', 'charge', 'release']),
    credits: Type.Integer({ minimum: 1 }),
    at: time('When'),
    available: count('Available after this entry'),
    reserved: count('Reserved after this entry'),
    spent: count('Spent after this entry'),
    task_id: Type.Optional(Type.String({ description: 'The task it was for, as long as the task is kept' })),
    request_id: Type.Optional(Type.String({ description: 'The request it was for' })),
  },
  { title: 'LedgerEntry', additionalProperties: false },
);

export const ledgerPageSchema = answerSchema(
  { entries: Type.Array(ledgerEntrySchema), next: nextSchema },
  {
    title: 'LedgerPage',
    description: 'Newest first',
    example: { entries: [exampleEntry], next: null } satisfies LedgerPage,
  },
);

const usageDaySchema = Type.Object(
  {
    date: Type.String({ description: 'The day in UTC, `YYYY-MM-DD`' }),
    charged: count('Credits charged on that day'),
    reserved: count('Credits reserved'),
    released: count('Credits given back'),
  },
  { title: 'UsageDay', additionalProperties: false },
);

export const usageSchema = answerSchema(
  { days: Type.Array(usageDaySchema) },
  {
    title: 'Usage',
    description: 'One entry for each day, days without use included, oldest first',
    example: { days: [{ date: '2026-01-02', charged: 80, reserved: 100, released: 20 }] } satisfies Usage,
  },
);

const exampleTask: AccountTask = {
  task_id: exampleTaskId,
  name: 'API: Spring letter',
  status: 'completed',
  mode: 'live',
  count_total: 2,
  count_checked: 2,
  progress_percentage: 100,
  created_at: '2026-01-02T03:04:05.678Z',
  completed_at: '2026-01-02T03:04:09.012Z',
  expires_at: '2026-01-17T03:04:09.012Z',
  key_id: '0aB1cD2e',
  credits_used: 2,
};

export const accountTaskSchema = Type.Object(
  {
    task_id: Type.String(),
    name: Type.String(),
    status: stringEnum(['waiting', 'running', 'completed']),
    mode: keyModeSchema,
    count_total: count('Addresses in the task'),
    count_checked: count('Addresses checked so far'),
    progress_percentage: Type.Number({ minimum: 0, maximum: 100 }),
    created_at: time('When it was created'),
    completed_at: timeOrNull('When it was completed'),
    expires_at: timeOrNull('When it is erased'),
    key_id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The key that created it' }),
    credits_used: count('Credits it holds, or was charged once it is completed'),
  },
  { title: 'AccountTask', additionalProperties: false },
);

export const taskPageSchema = answerSchema(
  { tasks: Type.Array(accountTaskSchema), next: nextSchema },
  {
    title: 'AccountTaskPage',
    description: 'Newest first',
    example: { tasks: [exampleTask], next: null } satisfies TaskPage,
  },
);

const scopesSchema = Type.Array(stringEnum(keyScopes), {
  minItems: 1,
  maxItems: keyScopes.length,
  description:
    'Scopes: `verify` (single verifications), `tasks`, `lists`, `account:read` (all reads of the account, sign-in), `account:write` (keys, publishable keys, webhooks)',
});
const ipsSchema = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: contractLimits.keyAllowedIps,
  description: 'IP addresses and blocks of them (CIDR) that the key may be used from',
});
const creditsPerDaySchema = Type.Integer({
  minimum: 1,
  maximum: contractLimits.credits,
  description:
    'Credits that the key may be charged on a day of UTC; reserved credits count until they are settled',
});
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Limits of a key as they are shown. */
const limitProperties = {
  scopes: orNull(scopesSchema),
  expires_at: timeOrNull('When it stops working'),
  allowed_ips: orNull(ipsSchema),
  credits_per_day: orNull(creditsPerDaySchema),
};

/** Limits of a key as they are requested; null means none. */
const limitRequestProperties = {
  scopes: Type.Optional(orNull(scopesSchema)),
  expires_at: Type.Optional(
    orNull(
      Type.String({
        minLength: 10,
        maxLength: 32,
        description: 'A time of ISO 8601 with its zone, or a day, which begins in UTC; not in the past',
      }),
    ),
  ),
  allowed_ips: Type.Optional(orNull(ipsSchema)),
  credits_per_day: Type.Optional(orNull(creditsPerDaySchema)),
};

const keyProperties = {
  key_id: Type.String({ description: 'The public part of the key' }),
  name: Type.String(),
  mode: keyModeSchema,
  last4: Type.String({ description: 'The last characters of its secret' }),
  created_at: time('When it was created'),
  ...limitProperties,
  last_used: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The last day of use in UTC, `YYYY-MM-DD`',
  }),
  credits_used: count('Credits charged to it in the last 30 days, today included'),
  credits_today: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    description: 'Credits that count against `credits_per_day` today; null without a cap',
  }),
};

const { api_key: exampleSecret, ...exampleProperties }: CreatedKey = {
  key_id: '0aB1cD2e',
  name: 'Web shop',
  mode: 'live',
  last4: 'x7Qz',
  created_at: '2026-01-02T03:04:05.678Z',
  scopes: ['verify'],
  expires_at: '2027-01-01T00:00:00.000Z',
  allowed_ips: ['192.0.2.0/24', '2001:db8::/32'],
  credits_per_day: 500,
  last_used: '2026-01-03',
  credits_used: 80,
  credits_today: 12,
  api_key: 'mp_live_…',
};

const exampleKey: AccountKey = { ...exampleProperties, current: true };

export const accountKeySchema = answerSchema(
  { ...keyProperties, current: Type.Boolean({ description: 'Whether it is the key of this request' }) },
  { title: 'AccountKey', description: 'The key', example: exampleKey },
);

export const keyListSchema = answerSchema(
  { keys: Type.Array(accountKeySchema) },
  {
    title: 'AccountKeyList',
    description: 'All keys that are not deleted, newest first',
    example: { keys: [exampleKey] } satisfies KeyList,
  },
);

export const createdKeySchema = answerSchema(
  { ...keyProperties, api_key: Type.String({ description: 'The whole key. It is not shown again' }) },
  {
    title: 'CreatedKey',
    description: 'The key was created',
    example: {
      ...exampleProperties,
      last_used: null,
      credits_used: 0,
      credits_today: 0,
      api_key: exampleSecret,
    } satisfies CreatedKey,
  },
);

const keyNameSchema = Type.String({ minLength: 1, maxLength: contractLimits.keyNameCharacters });

/** A limit with a misspelt name would be no limit. */
const noOthers = { additionalProperties: false };

export const keyRequestSchema = Type.Object(
  { name: Type.Optional(keyNameSchema), mode: Type.Optional(keyModeSchema), ...limitRequestProperties },
  {
    title: 'KeyRequest',
    examples: [{ name: 'Web shop', mode: 'live', scopes: ['verify'] }],
    ...noOthers,
  },
);

export const keyChangeSchema = Type.Object(
  { name: Type.Optional(keyNameSchema), ...limitRequestProperties },
  { title: 'KeyChange', examples: [{ name: 'Web shop', credits_per_day: 500 }], ...noOthers },
);

true satisfies SameType<Static<typeof accountSchema>, Account>;
true satisfies SameType<Static<typeof ledgerPageSchema>, LedgerPage>;
true satisfies SameType<Static<typeof usageSchema>, Usage>;
true satisfies SameType<Static<typeof taskPageSchema>, TaskPage>;
true satisfies SameType<Static<typeof keyListSchema>, KeyList>;
true satisfies SameType<Static<typeof createdKeySchema>, CreatedKey>;
true satisfies SameType<Static<typeof keyRequestSchema>, KeyRequest>;
true satisfies SameType<Static<typeof keyChangeSchema>, KeyChange>;
