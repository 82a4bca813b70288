import { contractLimits } from '@mailproof/client';
import { presentRow, readRowChoice } from '../row-result.ts';
import type { DownloadFormat } from '../write-download.ts';
import { listCursor, listPlace, rowCursor, rowPlace } from './list-cursors.ts';
import { readCursor } from '../../../core/http/parameters/cursors.ts';
import { fieldsOf, readPage, readWhole } from '../../../core/http/parameters/read-page.ts';
import { listDownloadPath, listPath, listRowPath, listRowsPath, listsPath } from './list-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { callerOf } from '../../../core/http/pipeline/request-context.ts';
import { presentList } from './present-list.ts';
import { accountReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { explanationSchema } from '../../../core/http/schemas/explanation-schema.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import {
  downloadQuery,
  listPageSchema,
  listParameters,
  listRowPageSchema,
  listRowParameters,
  listSchema,
  listsQuery,
  rowsQuery,
  workbookType,
} from './list-schemas.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { showList } from './change-list.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import type { ListHttp } from '../list-actions.ts';

/** What is read of lists: all of them, one, its rows, why a row says what it says, and the checked file. */
const described = { tags: ['Lists'], security: byKey('lists') };
const free = { ...requestIdHeader, ...creditsHeader('Always 0: reading is free') };
const headers = {
  ...requestIdHeader,
  ...creditsHeader('What the list holds, or was charged once it has ended'),
};
const reasons = ['list_not_found', ...accountReasons] as const;

const listsRoute = {
  ...described,
  operationId: 'listLists',
  summary: 'All lists, newest first',
  description: 'Page by page: `next` of one page is `after` of the next.',
  querystring: listsQuery,
  response: {
    200: { ...listPageSchema, headers: free },
    ...errorResponses(['invalid_request', ...accountReasons]),
  },
};

const listRoute = {
  ...described,
  operationId: 'readList',
  summary: 'One list, with its progress',
  description: 'Ask again after a few seconds until `state` is `completed`.',
  params: listParameters,
  response: { 200: { ...listSchema, headers }, ...errorResponses(reasons) },
};

const rowsRoute = {
  ...described,
  operationId: 'readListRows',
  summary: 'Rows with their results',
  description:
    'In the order of the file, page by page; of one status, provider or part of an address where asked for.',
  params: listParameters,
  querystring: rowsQuery,
  response: {
    200: { ...listRowPageSchema, headers: free },
    ...errorResponses(['invalid_request', ...reasons]),
  },
};

const exampleExplanation = {
  stage: 'smtp',
  reason: 'user_unknown',
  retry: { advised: false },
  mail_host: 'mx.example.com',
  replies: [{ phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user' }],
  timings_ms: { dns: 12, smtp: 240, total: 252 },
};

const rowRoute = {
  ...described,
  operationId: 'explainListRow',
  summary: 'Why a row says what it says',
  description: 'The stage that decided, the mail host that was asked, and what it replied.',
  params: listRowParameters,
  response: {
    200: { ...explanationSchema, headers: free, examples: [exampleExplanation] },
    ...errorResponses(reasons),
  },
};

const downloadRoute = {
  ...described,
  operationId: 'downloadList',
  summary: 'The file with the results',
  description: 'Every row as it came, with our columns behind it; while the list runs, what is known so far.',
  params: listParameters,
  querystring: downloadQuery,
  response: {
    200: {
      description: 'The file',
      headers: free,
      content: {
        'text/csv': {
          schema: { type: 'string', examples: ['Name,Email,email_status\nJane,jane.doe@example.com,safe\n'] },
        },
        'application/jsonl': { schema: { type: 'string' } },
        [workbookType]: { schema: { type: 'string', format: 'binary' } },
      },
    },
    ...errorResponses(['invalid_request', ...reasons]),
  },
};

const contentTypes: Readonly<Record<DownloadFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
  xlsx: workbookType,
};

export function addReadLists(server: ApiServer, routeParts: RouteParts<ListHttp>): void {
  addLists(server, routeParts);
  addRows(server, routeParts);
  addDownload(server, routeParts);
}

function addLists(server: ApiServer, { parts, authenticateRequest }: RouteParts<ListHttp>): void {
  const onRequest = authenticateRequest('account', 'lists:read');
  server.route({
    method: 'GET',
    url: listsPath,
    schema: listsRoute,
    onRequest,
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { after, ...query } = fieldsOf(request.query);
      const page = readPage({ ...query, before: after }, listPlace);
      if (page.kind === 'invalid') return refuse(reply, 'invalid_request');
      const { lists, next } = await parts.lists.page({ caller, limit: page.limit, after: page.from });
      return reply.code(200).send({
        lists: lists.map(({ list, progress }) => presentList(list, progress)),
        next: next === undefined ? null : listCursor(next),
      });
    },
  });
  server.route({
    method: 'GET',
    url: listPath,
    schema: listRoute,
    onRequest: authenticateRequest('read', 'lists:read'),
    handler: async (request, reply) => {
      await showList(reply.code(200), parts, { caller: callerOf(request), listId: request.params.listId });
      return reply;
    },
  });
}

function addRows(server: ApiServer, { parts, authenticateRequest }: RouteParts<ListHttp>): void {
  const onRequest = authenticateRequest('account', 'lists:read');
  server.route({
    method: 'GET',
    url: listRowsPath,
    schema: rowsRoute,
    onRequest,
    handler: async (request, reply) => {
      const asked = readRowsQuery(request.query);
      if (asked === undefined) return refuse(reply, 'invalid_request');
      const page = await parts.lists.rows(callerOf(request), request.params.listId, asked);
      if (page === undefined) return refuse(reply, 'list_not_found');
      const next = page.next === undefined ? null : rowCursor(page.next);
      return reply.code(200).send({ rows: page.rows.map(presentRow), next });
    },
  });
  server.route({
    method: 'GET',
    url: listRowPath,
    schema: rowRoute,
    onRequest,
    handler: async (request, reply) => {
      const { listId, row } = request.params;
      const number = /^[1-9]\d{0,8}$/.test(row) ? Number(row) : 0;
      const explanation = await parts.lists.explanation(callerOf(request), listId, number);
      if (explanation === undefined) return refuse(reply, 'list_not_found');
      return reply
        .code(200)
        .header('content-type', 'application/json; charset=utf-8')
        .serializer(String)
        .send(explanation as never);
    },
  });
}

function addDownload(server: ApiServer, { parts, authenticateRequest }: RouteParts<ListHttp>): void {
  server.route({
    method: 'GET',
    url: listDownloadPath,
    schema: downloadRoute,
    onRequest: authenticateRequest('account', 'lists:read'),
    handler: async (request, reply) => {
      const { rows = 'all', format = 'csv', roles } = fieldsOf(request.query);
      const choice = typeof rows === 'string' ? readRowChoice(rows, { roles: roles !== 'false' }) : undefined;
      if (choice === undefined || !isFormat(format)) return refuse(reply, 'invalid_request');
      const found = await parts.lists.download(callerOf(request), request.params.listId, { choice, format });
      if (found === undefined) return refuse(reply, 'list_not_found');
      const name = fileNameOf(found.list.name, {
        rows: String(rows),
        format,
        isSandbox: found.list.mode === 'test',
      });
      return reply
        .code(200)
        .header('content-type', contentTypes[format])
        .header(
          'content-disposition',
          `attachment; filename="${asciiOf(name)}"; filename*=UTF-8''${encodeURIComponent(name)}`,
        )
        .send(found.content);
    },
  });
}

function readRowsQuery(query: unknown) {
  const { status = 'all', provider, search, limit: size, after } = fieldsOf(query);
  const limit = readWhole(size, {
    most: contractLimits.listPageRows,
    usual: contractLimits.listPageRowsUsual,
  });
  const choice = typeof status === 'string' ? readRowChoice(status, { roles: true }) : undefined;
  const place =
    after === undefined ? 0 : rowPlace((typeof after === 'string' ? readCursor(after) : undefined) ?? []);
  if (limit === undefined || choice === undefined || place === undefined) return undefined;
  if (!isOptionalText(provider) || !isOptionalText(search)) return undefined;
  return { choice, provider, search, after: place, limit };
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isFormat(value: unknown): value is DownloadFormat {
  return typeof value === 'string' && Object.hasOwn(contentTypes, value);
}

/** The list's own name with what was done to it: `customers-checked.csv`. */
function fileNameOf(
  name: string,
  { rows, format, isSandbox }: { rows: string; format: DownloadFormat; isSandbox: boolean },
): string {
  const stem =
    name.replace(/\.(?:csv|txt|tsv|tab|xlsx)$/i, '').replace(/["*/:<>?\\|\p{Cc}]/gu, '_') || 'list';
  const what = rows === 'all' ? 'checked' : rows.replaceAll(',', '-');
  return `${stem}-${isSandbox ? 'sandbox-' : ''}${what}.${format}`;
}

function asciiOf(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '_');
}
