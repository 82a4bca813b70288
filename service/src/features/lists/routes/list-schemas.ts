import {
  contractLimits,
  type ListChange,
  type ListPage,
  type ListRecord,
  type ListRowPage,
  type ListStart,
} from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';
import type { SameType } from '../../../core/http/schemas/same-type.ts';
import { cursorSchema } from '../../../core/http/schemas/page-parameters.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const time = (description: string) => Type.String({ description });
const orNull = <Value>(type: string, description: string) =>
  Type.Unsafe<Value | null>({ type: [type, 'null'], description });
const tally = (description: string) =>
  Type.Record(Type.String(), Type.Integer({ minimum: 1 }), { description });

const exampleList: ListRecord = {
  list_id: '3f2c8a9e-5b1d-4c7e-9a64-0d7e1b2c3f45',
  name: 'Spring letter',
  state: 'running',
  sandbox: false,
  rows: 41,
  addresses: 38,
  duplicates: 2,
  blank: 0,
  rejected: 1,
  repaired: 3,
  split: false,
  suggestions: [{ domain: 'gmial.com', did_you_mean: 'gmail.com', rows: 2 }],
  columns: [
    { index: 0, name: 'Name', samples: ['Jane Doe'] },
    { index: 1, name: 'Email', samples: ['jane.doe@example.com'] },
  ],
  column: 1,
  credits_needed: 38,
  wanted: 38,
  checked: 30,
  waiting: 1,
  waiting_until: '2026-01-02T03:09:05.000Z',
  finishing: 0,
  progress_percentage: 78.94,
  by_status: { safe: 26, role_account: 4 },
  by_provider: { google: 12, other: 18 },
  by_provider_and_status: { google: { safe: 12 }, other: { safe: 14, role_account: 4 } },
  expected_seconds: 305,
  expected_end: '2026-01-02T03:09:05.000Z',
  credits_reserved: 38,
  credits_used: 30,
  created_by: 'Live key',
  created_at: '2026-01-02T03:04:00.000Z',
  started_at: '2026-01-02T03:04:05.000Z',
  ended_at: null,
  expires_at: '2026-01-17T03:04:00.000Z',
};

const listProperties = {
  list_id: Type.String(),
  name: Type.String(),
  state: stringEnum(['surveyed', 'running', 'paused', 'completed', 'cancelled']),
  sandbox: Type.Boolean({ description: 'Uploaded with a test key: answered by the sandbox, and free' }),
  rows: count('addresses + duplicates + blank + rejected'),
  addresses: count('Different addresses'),
  duplicates: count('Rows whose address an earlier row has'),
  blank: count('Rows without anything in the address column'),
  rejected: count('Rows that hold something that is not an address'),
  repaired: count('Rows whose address was read out of something longer, such as `Name <a@b>`'),
  split: Type.Boolean({ description: 'Whether each of several addresses in a cell is a row of its own' }),
  suggestions: Type.Array(
    Type.Object(
      { domain: Type.String(), did_you_mean: Type.String(), rows: count('Rows with this domain') },
      { additionalProperties: false },
    ),
    {
      description:
        'Domains one slip away from a large provider, those with the most rows first, at most 20. They are found without asking anybody: whether they take mail is not known before the run',
    },
  ),
  columns: Type.Array(
    Type.Object(
      { index: count('From 0'), name: Type.String(), samples: Type.Array(Type.String()) },
      { additionalProperties: false },
    ),
  ),
  column: Type.Integer({ minimum: -1, description: 'The column with the addresses' }),
  credits_needed: count('At most: only conclusive results are charged'),
  wanted: count('Addresses that the run checks'),
  checked: count('Addresses checked so far'),
  waiting: count('Deferred by their mail host, to be asked again'),
  waiting_until: orNull<string>('string', 'When the first of those that wait is asked again'),
  finishing: count('Of a paused list: addresses begun before the pause and not counted yet'),
  progress_percentage: Type.Number({ minimum: 0, maximum: 100 }),
  by_status: tally('Addresses by status'),
  by_provider: tally('Addresses by provider'),
  by_provider_and_status: Type.Record(Type.String(), tally('Addresses by status'), {
    description: 'Addresses by provider, and of each provider by status',
  }),
  expected_seconds: orNull<number>(
    'integer',
    'How long the run should take at least, by the limits of the egress addresses; estimated before it starts',
  ),
  expected_end: orNull<string>('string', 'At the speed so far'),
  credits_reserved: count('Held by the run'),
  credits_used: count('Conclusive results so far; charged when the run ends'),
  created_by: orNull<string>('string', 'The name of the key that it was uploaded with'),
  created_at: time('When it was uploaded'),
  started_at: orNull<string>('string', 'When it was started'),
  ended_at: orNull<string>('string', 'When it was completed or cancelled'),
  expires_at: time('When it is erased'),
};

export const listSchema = Type.Object(listProperties, {
  title: 'ListRecord',
  description: 'The list',
  additionalProperties: false,
  examples: [exampleList],
});

export const listPageSchema = Type.Object(
  {
    lists: Type.Array(Type.Object(listProperties, { title: 'ListRecord', additionalProperties: false })),
    next: orNull<string>('string', 'Pass it as `after` to get the next page; null at the end'),
  },
  {
    title: 'ListPage',
    description: 'Lists, newest first',
    additionalProperties: false,
    examples: [{ lists: [exampleList], next: null }],
  },
);

export const listChangeSchema = Type.Object(
  {
    column: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.String()], {
        description: 'The column with the addresses, by its index or its name',
      }),
    ),
    name: Type.Optional(Type.String({ maxLength: contractLimits.listNameCharacters })),
    split: Type.Optional(
      Type.Boolean({ description: 'Each of several addresses in a cell becomes a row of its own' }),
    ),
  },
  { title: 'ListChange', examples: [{ column: 'Email' }] },
);

/** Credits are reserved according to the body, so a misspelt field must not be ignored. */
export const listStartSchema = Type.Object(
  {
    first: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Check only this many addresses, from the top of the file' }),
    ),
  },
  { title: 'ListStart', examples: [{}, { first: 100 }], additionalProperties: false },
);

const exampleRow = {
  row: 1,
  email: 'jane.doe@example.com',
  status: 'safe',
  score: 97,
  is_safe_to_send: true,
  is_deliverable: true,
  reason: 'mailbox_accepted',
  provider: 'other',
  repaired: null,
  did_you_mean: null,
};

export const listRowPageSchema = Type.Object(
  {
    rows: Type.Array(
      Type.Object(
        {
          row: Type.Integer({ minimum: 1, description: 'Rows are counted from 1, without the heading' }),
          email: orNull<string>('string', 'The address, or what stands in the cell where it is none'),
          status: orNull<string>('string', 'As in a verification, or `rejected`; null without an answer'),
          score: orNull<number>('number', 'The `overall_score`'),
          is_safe_to_send: orNull<boolean>('boolean', 'As in a verification'),
          is_deliverable: orNull<boolean>('boolean', 'As in a verification'),
          reason: Type.String({ description: 'Why' }),
          provider: orNull<string>('string', 'Operator of the mail host, if known'),
          repaired: orNull<string>('string', 'The address that was read out of the cell'),
          did_you_mean: orNull<string>('string', 'The domain of a large provider that was most likely meant'),
        },
        { title: 'ListRow', additionalProperties: false },
      ),
    ),
    next: orNull<string>('string', 'Pass it as `after` to get the next page; null at the end'),
  },
  {
    title: 'ListRowPage',
    description: 'Rows in the order of the file',
    additionalProperties: false,
    examples: [{ rows: [exampleRow], next: null }],
  },
);

true satisfies SameType<Static<typeof listSchema>, ListRecord>;
true satisfies SameType<Static<typeof listPageSchema>, ListPage>;
true satisfies SameType<Static<typeof listChangeSchema>, ListChange>;
true satisfies SameType<Static<typeof listStartSchema>, ListStart>;
true satisfies SameType<Static<typeof listRowPageSchema>, ListRowPage>;

export const listParameters = Type.Object({
  listId: Type.String({ description: 'The `list_id` of the list' }),
});

export const listRowParameters = Type.Object({
  listId: Type.String({ description: 'The `list_id` of the list' }),
  row: Type.String({ description: 'The number of the row, from 1' }),
});

export const listsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: contractLimits.pageEntries,
      default: contractLimits.pageEntriesUsual,
      description: 'Lists per page',
    }),
  ),
  after: Type.Optional(cursorSchema('`next` of the page before')),
});

export const createListQuery = Type.Object({
  name: Type.Optional(
    Type.String({ maxLength: contractLimits.listNameCharacters, description: 'A name for the list' }),
  ),
  column: Type.Optional(
    Type.String({ description: 'The column with the addresses, by its index or its name' }),
  ),
  split: Type.Optional(
    Type.String({ description: '`true`: each of several addresses in a cell becomes a row of its own' }),
  ),
});

export const rowsQuery = Type.Object({
  status: Type.Optional(
    Type.String({ description: 'Statuses, comma-separated, or `sendable`, `risky`, `undeliverable`' }),
  ),
  provider: Type.Optional(Type.String({ description: 'One provider alone' })),
  search: Type.Optional(Type.String({ description: 'Part of an address' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: contractLimits.listPageRows,
      default: contractLimits.listPageRowsUsual,
      description: 'Rows per page',
    }),
  ),
  after: Type.Optional(cursorSchema('`next` of the page before')),
});

export const downloadQuery = Type.Object({
  rows: Type.Optional(
    Type.String({
      default: 'all',
      description: '`all`, `sendable`, `risky`, `undeliverable`, or statuses, comma-separated',
    }),
  ),
  format: Type.Optional(
    stringEnum(['csv', 'xlsx', 'jsonl'], { description: 'What the file is; `csv` unless it says otherwise' }),
  ),
  roles: Type.Optional(
    Type.String({ default: 'true', description: '`false`: `sendable` without role accounts' }),
  ),
});

export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const file = { type: 'string', format: 'binary' };
const exampleFile = 'Name,Email\nJane,jane.doe@example.com\n';

/** Content types of an upload. */
export const listUploadBody = {
  content: {
    'text/csv': { schema: { ...file, examples: [exampleFile] } },
    'text/plain': { schema: { ...file, examples: ['jane.doe@example.com\n'] } },
    [workbookType]: { schema: file },
    'application/octet-stream': { schema: file },
    'multipart/form-data': {
      schema: Type.Object(
        { file: Type.Unsafe<string>({ ...file, description: 'The file' }) },
        { title: 'ListUpload' },
      ),
    },
  },
};
