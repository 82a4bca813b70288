import { createHash } from 'node:crypto';
import { contractLimits, type ListRecord } from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { availableCredits, confirmSchema, defineTool, howToConfirm } from './tool.ts';
import { whyOf, whySchema } from './why.ts';

const listId = Type.String({ minLength: 1, maxLength: 64, description: '`list_id` of estimate_list' });

/** The record as far as it matters for the task; the API has the rest. */
const listSchema = Type.Object({
  list_id: Type.String(),
  state: Type.String({ description: 'surveyed, running, paused, completed or cancelled' }),
  rows: Type.Integer({ description: 'addresses + duplicates + blank + rejected' }),
  addresses: Type.Integer(),
  duplicates: Type.Integer(),
  blank: Type.Integer(),
  rejected: Type.Integer(),
  checked: Type.Integer(),
  progress_percentage: Type.Number(),
  by_status: Type.Record(Type.String(), Type.Integer()),
  credits_needed: Type.Integer({ description: 'At most; only conclusive results are charged' }),
  credits_reserved: Type.Integer(),
  credits_used: Type.Integer(),
});

function listOf(record: ListRecord): Static<typeof listSchema> {
  const { list_id, state, rows, addresses, duplicates, blank, rejected, checked } = record;
  const { progress_percentage, by_status, credits_needed, credits_reserved, credits_used } = record;
  const found = { list_id, state, rows, addresses, duplicates, blank, rejected, checked };
  return { ...found, progress_percentage, by_status, credits_needed, credits_reserved, credits_used };
}

export const addEstimateList = defineTool({
  name: 'estimate_list',
  title: 'Upload a list and see what checking it costs',
  description:
    `Uploads a list of addresses (CSV, or one address a line), counts its addresses, duplicates and rejected
rows, and says what checking it would cost at most. Nothing is checked and nothing is charged. Then start_list.`.replaceAll(
      '\n',
      ' ',
    ),
  // The same content is the same list for a day, however often it is sent.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Type.Object(
    {
      content: Type.String({ minLength: 1, maxLength: 200_000, description: 'The file itself, as text' }),
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'For people, in the console' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ list: listSchema, credits_available: Type.Optional(Type.Integer()) }),
  async run({ content, name }, parts, signal) {
    const idempotencyKey = `mcp-${createHash('sha256')
      .update(JSON.stringify([name, content]))
      .digest('hex')}`;
    const options = { name, idempotencyKey, contentType: 'text/csv', signal };
    const record = await parts.client.lists.create(content, options);
    const available = await availableCredits(parts, signal);
    return { list: listOf(record), ...(available === undefined ? {} : { credits_available: available }) };
  },
});

export const addStartList = defineTool({
  name: 'start_list',
  title: 'Start checking a list',
  description:
    `Starts the check of a list that was uploaded with estimate_list. With a live key it reserves a credit for
each address, charges those with a conclusive result and returns the rest; it has to be confirmed. The check goes on by
itself: follow it with read_list.`.replaceAll('\n', ' '),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: Type.Object(
    {
      list_id: listId,
      first: Type.Optional(Type.Integer({ minimum: 1, description: 'Only so many addresses, from the top' })),
      confirm: confirmSchema,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: Type.Union([Type.Literal('started'), Type.Literal('confirmation_needed')]),
    credits_at_most: Type.Integer({ description: 'What it costs at most' }),
    credits_available: Type.Optional(Type.Integer()),
    next_step: Type.Optional(Type.String()),
    list: listSchema,
  }),
  async run({ list_id: id, first, confirm }, parts, signal) {
    const { lists } = parts.client;
    const before = await lists.read(id, { signal });
    const cost = before.sandbox ? 0 : Math.min(before.credits_needed, first ?? Infinity);
    if (!before.sandbox && confirm !== true) {
      const available = await availableCredits(parts, signal);
      return {
        outcome: 'confirmation_needed' as const,
        credits_at_most: cost,
        ...(available === undefined ? {} : { credits_available: available }),
        next_step: howToConfirm,
        list: listOf(before),
      };
    }
    const started = await lists.start(id, { signal, ...(first === undefined ? {} : { first }) });
    return { outcome: 'started' as const, credits_at_most: cost, list: listOf(started) };
  },
});

const usualRows = 50;

export const addReadList = defineTool({
  name: 'read_list',
  title: 'Read how far a list is and how its addresses came out',
  description:
    `Shows the progress of a list, its counts by status and one page of its rows with their statuses. Free of
charge. While it runs, ask again after some seconds.`.replaceAll('\n', ' '),
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: Type.Object(
    {
      list_id: listId,
      status: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'Only rows of these statuses, comma-separated, or of sendable, risky or undeliverable',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: contractLimits.listPageRows, default: usualRows }),
      ),
      after: Type.Optional(Type.String({ maxLength: 500, description: '`next` of the page before' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    list: listSchema,
    rows: Type.Array(
      Type.Object({
        row: Type.Integer(),
        email: Type.Union([Type.String(), Type.Null()]),
        status: Type.Union([Type.String(), Type.Null()]),
        score: Type.Union([Type.Number(), Type.Null()]),
        is_safe_to_send: Type.Union([Type.Boolean(), Type.Null()]),
        reason: Type.String({ description: 'A stable code; why_verdict says more' }),
        did_you_mean: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    next: Type.Union([Type.String(), Type.Null()]),
  }),
  async run({ list_id: id, status, limit = usualRows, after }, { client: { lists } }, signal) {
    const record = await lists.read(id, { signal });
    const page = await lists.rowPage(id, { status, limit, after, signal });
    const rows = page.rows.map(
      ({ row, email, status: found, score, is_safe_to_send, reason, did_you_mean }) => ({
        row,
        email,
        status: found,
        score,
        is_safe_to_send,
        reason,
        did_you_mean,
      }),
    );
    return { list: listOf(record), rows, next: page.next };
  },
});

export const addWhyVerdict = defineTool({
  name: 'why_verdict',
  title: 'Why an address of a list came out as it did',
  description:
    `Explains the verdict of one row of a list: what decided, what the code means, whether to ask again, and what
the mail server answered. Free of charge. For an address that is in no list, verify_address explains itself.`.replaceAll(
      '\n',
      ' ',
    ),
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: Type.Object(
    { list_id: listId, row: Type.Integer({ minimum: 1, description: '`row` of read_list' }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ why: whySchema }),
  run: async ({ list_id: id, row }, { client: { lists } }, signal) => ({
    why: whyOf(await lists.explainRow(id, row, { signal })),
  }),
});
