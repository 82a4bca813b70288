import type { IncomingMessage } from 'node:http';
import { contractLimits } from '@mailproof/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noProgress } from '../read-lists.ts';
import { ListProblem } from '../reading/list-problem.ts';
import {
  hashRequest,
  keyInMode,
  markReplay,
  readIdempotencyKey,
} from '../../../core/http/parameters/idempotency-key.ts';
import { fieldsOf } from '../../../core/http/parameters/read-page.ts';
import { isStorable } from '../../../core/http/parameters/storable-text.ts';
import { listsPath } from './list-paths.ts';
import { declaredBytes, readUpload, SlowUploadError } from './read-upload.ts';
import { refuse, refuseList, refuseSandbox } from '../../../core/http/pipeline/refuse.ts';
import { callerOf, contextOf } from '../../../core/http/pipeline/request-context.ts';
import { presentList } from './present-list.ts';
import { creationReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { createListQuery, listSchema, listUploadBody } from './list-schemas.ts';
import { creationHeaders } from '../../../core/http/schemas/request-parameters.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import type { ListHttp } from '../list-actions.ts';

const schema = {
  operationId: 'createList',
  summary: 'Upload a list',
  description:
    'The file is the body, or the field `file` of `multipart/form-data`. What kind of file it is, is read from the file itself. Nothing is checked or charged until the list is started.',
  tags: ['Lists'],
  security: byKey('lists'),
  streamedBody: listUploadBody,
  querystring: createListQuery,
  headers: creationHeaders,
  response: {
    201: {
      ...listSchema,
      headers: { ...requestIdHeader, ...creditsHeader('Always 0: uploading is free') },
    },
    ...errorResponses([
      'invalid_list',
      'invalid_request',
      'list_too_large',
      'unsupported_file',
      'too_many_uploads',
      ...creationReasons,
    ]),
  },
};

/** Uploads of one account at once, so that one account's slow files leave room for the others'. */
const uploadsPerAccount = 3;
/** Uploads of one client address at once, whichever accounts its keys belong to. */
const uploadsPerClient = 6;

export function addCreateList(server: ApiServer, { parts, authenticateRequest }: RouteParts<ListHttp>): void {
  const uploads = createUploadCounts();
  // The file is read as it comes, so here, and only here, the body stays what it is: a stream.
  void server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    scope.route({
      method: 'POST',
      url: listsPath,
      config: { readsBodyItself: true },
      schema,
      onRequest: authenticateRequest('upload', 'lists'),
      handler: async (request, reply) => {
        const { accountId, mode } = callerOf(request);
        // Test and live apart, so that a test key's slow files keep no live one waiting.
        const [ofAccount, ofClient] = [`${mode} ${accountId}`, `client ${contextOf(request).client}`];
        const isFull =
          uploads.held(ofAccount) >= uploadsPerAccount || uploads.held(ofClient) >= uploadsPerClient;
        if (isFull) return refuse(reply, 'too_many_uploads');
        const release = uploads.take([ofAccount, ofClient]);
        try {
          return await createList(request, reply, parts);
        } catch (error) {
          if (error instanceof ListProblem) return await refuseList(reply, error);
          if (error instanceof SlowUploadError)
            return await refuse(reply.header('connection', 'close'), 'request_timeout');
          // The client hung up in the middle: nobody reads an answer.
          if (request.raw.destroyed && !request.raw.complete) return await reply;
          throw error;
        } finally {
          release();
        }
      },
    });
    done();
  });
}

function createUploadCounts() {
  const counts = new Map<string, number>();
  const add = (holder: string, more: number): void => {
    const now = (counts.get(holder) ?? 0) + more;
    if (now === 0) counts.delete(holder);
    else counts.set(holder, now);
  };
  return {
    held: (holder: string): number => counts.get(holder) ?? 0,
    take(holders: string[]): () => void {
      for (const holder of holders) add(holder, 1);
      return () => holders.forEach((holder) => add(holder, -1));
    },
  };
}

async function createList(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ListHttp,
): Promise<FastifyReply> {
  const caller = callerOf(request);
  const options = readOptions(request.query);
  const key = readIdempotencyKey(request.headers['idempotency-key']);
  if (options === undefined || key.kind === 'malformed') return refuse(reply, 'invalid_request');
  const { name, column, split } = options;
  const message = (request.body ?? request.raw) as IncomingMessage;
  const answer = await parts.lists.create({
    caller,
    requestId: request.id,
    name: name ?? defaultName(request.headers['content-disposition']),
    content: readUpload(message),
    declaredBytes: declaredBytes(message),
    column,
    split,
    idempotency:
      key.kind === 'absent'
        ? undefined
        : {
            key: keyInMode(key.key, caller.mode),
            hashWith: (contentHash) =>
              hashRequest('list', caller.mode, [contentHash, name ?? null, column ?? null, split]),
          },
  });
  if (answer.kind === 'sandbox_used_up') return refuseSandbox(reply, answer);
  if (answer.kind !== 'created') return refuse(reply, answer.kind);
  return markReplay(reply, answer.replayed).code(201).send(presentList(answer.list, noProgress));
}

type CreateOptions = { name: string | undefined; column: number | string | undefined; split: boolean };

function readOptions(query: unknown): CreateOptions | undefined {
  const { name, column, split } = fieldsOf(query);
  if (name !== undefined && (typeof name !== 'string' || !isListName(name))) return undefined;
  if (column !== undefined && typeof column !== 'string') return undefined;
  return { name, column: readColumn(column), split: split === 'true' };
}

/** Digits are a place; anything else is a heading. */
export function readColumn(column: number | string | undefined): number | string | undefined {
  return typeof column === 'string' && /^\d{1,5}$/.test(column) ? Number(column) : column;
}

export function isListName(name: string): boolean {
  return isStorable(name) && Array.from(name).length <= contractLimits.listNameCharacters;
}

/** A file that is sent with its name keeps it. */
function defaultName(disposition: string | undefined): string {
  const name = /filename="?([^";]{1,200})"?/i.exec(disposition ?? '')?.[1];
  return name !== undefined && isListName(name) ? name : 'List';
}
