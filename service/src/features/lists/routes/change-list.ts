import type { ErrorReason } from '@mailproof/client';
import type { FastifyReply } from 'fastify';
import { ListProblem } from '../reading/list-problem.ts';
import {
  hashRequest,
  keyInMode,
  markReplay,
  readIdempotencyKey,
} from '../../../core/http/parameters/idempotency-key.ts';
import { listActionPath, listPath } from './list-paths.ts';
import { refuse, refuseList } from '../../../core/http/pipeline/refuse.ts';
import { callerOf, contextOf } from '../../../core/http/pipeline/request-context.ts';
import { presentList } from './present-list.ts';
import { accountReasons, creationReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { listChangeSchema, listParameters, listSchema, listStartSchema } from './list-schemas.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import { creationHeaders } from '../../../core/http/schemas/request-parameters.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { isListName, readColumn } from './create-list.ts';
import type { Caller } from '../../../core/keys/authenticate.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import type { ListHttp } from '../list-actions.ts';

/** What is done to a list: another column or name, start, pause, resume, cancel, delete. */
const described = {
  tags: ['Lists'],
  security: byKey('lists'),
  params: listParameters,
  headers: csrfHeaders,
};
const headers = {
  ...requestIdHeader,
  ...creditsHeader('What the list holds, or was charged once it has ended'),
};
const reasons = ['list_not_found', 'wrong_list_state', 'csrf_token_mismatch', ...accountReasons] as const;

const changeRoute = {
  ...described,
  operationId: 'changeList',
  summary: 'Choose another column or name',
  description: 'With another column the file is read anew. Only before the list is started.',
  body: listChangeSchema,
  response: {
    200: { ...listSchema, headers },
    ...errorResponses(['invalid_request', 'invalid_list', ...reasons]),
  },
};

const startRoute = {
  ...described,
  operationId: 'startList',
  summary: 'Start checking',
  description: 'Reserves a credit for every address; what is not charged is returned when the run ends.',
  body: listStartSchema,
  headers: creationHeaders,
  response: {
    202: { ...listSchema, headers },
    ...errorResponses([
      'invalid_request',
      'list_not_found',
      'wrong_list_state',
      ...creationReasons.filter(
        (reason) => reason !== 'verification_timeout' && reason !== 'verification_unavailable',
      ),
    ]),
  },
};

const actions = {
  pause: {
    operationId: 'pauseList',
    summary: 'Pause',
    description: 'What is under way ends; nothing new is begun.',
  },
  resume: { operationId: 'resumeList', summary: 'Resume', description: 'Goes on where it was paused.' },
  cancel: {
    operationId: 'cancelList',
    summary: 'Cancel',
    description: 'What was checked is charged and kept; the rest of the credits returns.',
  },
} as const;

const deleteRoute = {
  ...described,
  operationId: 'deleteList',
  summary: 'Delete',
  description: 'Erased at once, also while it runs; what was checked until then is charged.',
  response: { 204: { type: 'null', description: 'The list is gone', headers }, ...errorResponses(reasons) },
};

export function addChangeList(server: ApiServer, routeParts: RouteParts<ListHttp>): void {
  addChange(server, routeParts);
  addStart(server, routeParts);
  addStops(server, routeParts);
}

function addChange(server: ApiServer, { parts, authenticateRequest }: RouteParts<ListHttp>): void {
  server.route({
    method: 'PATCH',
    url: listPath,
    schema: changeRoute,
    onRequest: authenticateRequest('account', 'lists'),
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { column, name, split } = request.body;
      if (name !== undefined && !isListName(name)) return refuse(reply, 'invalid_request');
      const { listId } = request.params;
      try {
        const answer = await parts.lists.change(caller, { listId, column: readColumn(column), name, split });
        if (answer.kind !== 'changed') return await refuse(reply, refusalOf(answer.kind));
      } catch (error) {
        if (error instanceof ListProblem) return refuseList(reply, error);
        throw error;
      }
      return showList(reply.code(200), parts, { caller, listId });
    },
  });
}

function addStart(server: ApiServer, { parts, authenticateRequest }: RouteParts<ListHttp>): void {
  server.route({
    method: 'POST',
    url: listActionPath('start'),
    schema: startRoute,
    onRequest: authenticateRequest('bulk', 'lists'),
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { listId } = request.params;
      const { first } = request.body;
      const key = readIdempotencyKey(request.headers['idempotency-key']);
      if (key.kind === 'malformed') return refuse(reply, 'invalid_request');
      const idempotency =
        key.kind === 'absent'
          ? undefined
          : {
              key: keyInMode(key.key, caller.mode),
              bodyHash: hashRequest('list_start', caller.mode, [listId, first ?? null]),
            };
      const answer = await parts.lists.start({ caller, requestId: request.id, listId, first, idempotency });
      if (answer.kind === 'key_limit_reached') return refuse(reply, answer.kind, answer.retryAfterSeconds);
      if (answer.kind !== 'started') return refuse(reply, refusalOf(answer.kind));
      if (!answer.replayed) return showList(reply.code(202), parts, { caller, listId });
      return showReplayedStart(markReplay(reply, true), parts, { caller, listId });
    },
  });
}

function addStops(server: ApiServer, { parts, authenticateRequest }: RouteParts<ListHttp>): void {
  const onRequest = authenticateRequest('account', 'lists');
  for (const action of ['pause', 'resume', 'cancel'] as const) {
    server.route({
      method: 'POST',
      url: listActionPath(action),
      schema: {
        ...described,
        ...actions[action],
        response: { 200: { ...listSchema, headers }, ...errorResponses(reasons) },
      },
      onRequest,
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { listId } = request.params;
        const answer = await parts.lists[action](caller, listId);
        if (answer.kind !== 'done') return refuse(reply, refusalOf(answer.kind));
        return showList(reply.code(200), parts, { caller, listId });
      },
    });
  }
  server.route({
    method: 'DELETE',
    url: listPath,
    schema: deleteRoute,
    onRequest,
    handler: async (request, reply) => {
      const answer = await parts.lists.remove(callerOf(request), request.params.listId);
      return answer.kind === 'done' ? reply.code(204).send(null) : refuse(reply, refusalOf(answer.kind));
    },
  });
}

type Refusal =
  | 'list_not_found'
  | 'wrong_state'
  | 'insufficient_credits'
  | 'account_frozen'
  | 'request_in_progress'
  | 'idempotency_mismatch';

function refusalOf(kind: Refusal): ErrorReason {
  switch (kind) {
    case 'wrong_state':
      return 'wrong_list_state';
    case 'account_frozen':
      return 'service_unavailable';
    case 'list_not_found':
    case 'insufficient_credits':
    case 'request_in_progress':
    case 'idempotency_mismatch':
      return kind;
  }
}

type ListPlace = { caller: Caller; listId: string };

/** The list as it is now, with what the start reserved in the header: the first answer said so. */
async function showReplayedStart(
  reply: FastifyReply,
  parts: ListHttp,
  { caller, listId }: ListPlace,
): Promise<FastifyReply> {
  const found = await parts.lists.read(caller, listId);
  if (found === undefined) return refuse(reply, 'list_not_found');
  const record = presentList(found.list, found.progress);
  const reserved = record.sandbox ? 0 : record.wanted;
  return reply.code(202).header('x-credits-used', String(reserved)).send(record);
}

/** The list as it is now, with what it holds or was charged in the header. */
export async function showList(
  reply: FastifyReply,
  parts: ListHttp,
  { caller, listId }: ListPlace,
): Promise<FastifyReply> {
  const found = await parts.lists.read(caller, listId);
  if (found === undefined) return refuse(reply, 'list_not_found');
  const record = presentList(found.list, found.progress);
  const credits = record.ended_at === null ? record.credits_reserved : record.credits_used;
  contextOf(reply.request).creditsUsed = credits;
  return reply.header('x-credits-used', String(credits)).send(record);
}
