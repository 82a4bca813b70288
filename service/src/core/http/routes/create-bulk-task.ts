import type { ErrorReason } from '@mailproof/client';
import type { CreateTaskAnswer } from '../../verify/tasks/create-task.ts';
import type { ApiServer, RouteParts } from './http-parts.ts';
import { hashRequest, keyInMode, markReplay, readIdempotencyKey } from '../parameters/idempotency-key.ts';
import { bulkPath } from '../pipeline/paths.ts';
import { refuse, refuseSandbox } from '../pipeline/refuse.ts';
import { callerOf, contextOf } from '../pipeline/request-context.ts';
import { presentCreatedTask } from '../present/task.ts';
import { bulkCreatedSchema, bulkRequestSchema } from '../schemas/bulk-schemas.ts';
import { creationReasons, errorResponses } from '../schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../schemas/headers.ts';
import { creationHeaders } from '../schemas/request-parameters.ts';
import { isStorable } from '../parameters/storable-text.ts';
import { byKey } from '../schemas/security.ts';

const schema = {
  operationId: 'createBulkTask',
  summary: 'Verify up to 100 addresses',
  description:
    'Creates a task. Credits are reserved for every submitted address; those of duplicates, rejected addresses and inconclusive results are returned.',
  tags: ['Bulk verification'],
  security: byKey('tasks'),
  body: bulkRequestSchema,
  headers: creationHeaders,
  response: {
    201: {
      ...bulkCreatedSchema,
      headers: { ...requestIdHeader, ...creditsHeader('Credits the task holds') },
    },
    ...errorResponses(['invalid_batch', ...creationReasons]),
  },
};

export function addCreateBulkTask(server: ApiServer, { parts, authenticateRequest }: RouteParts): void {
  server.route({
    method: 'POST',
    url: bulkPath,
    schema,
    onRequest: authenticateRequest('bulk', 'tasks'),
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { emails, name } = request.body;
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      if (!isStorable(name) || idempotencyKey.kind === 'malformed') return refuse(reply, 'invalid_batch');

      contextOf(request).emails = emails.length;
      const answer = await parts.createTask({
        caller,
        emails,
        name,
        requestId: request.id,
        idempotency:
          idempotencyKey.kind === 'absent'
            ? undefined
            : {
                key: keyInMode(idempotencyKey.key, caller.mode),
                bodyHash: hashRequest('bulk', caller.mode, [emails, name ?? null]),
              },
      });
      if (answer.kind === 'sandbox_used_up') return refuseSandbox(reply, answer);
      if (answer.kind === 'key_limit_reached') return refuse(reply, answer.kind, answer.retryAfterSeconds);
      if (answer.kind !== 'created') return refuse(reply, creationRefusal(answer));

      contextOf(request).creditsUsed = answer.replayed ? 0 : answer.creditsUsed;
      return markReplay(reply, answer.replayed)
        .code(201)
        .header('x-credits-used', String(answer.creditsUsed))
        .send(presentCreatedTask(answer));
    },
  });
}

function creationRefusal({
  kind,
}: Exclude<CreateTaskAnswer, { kind: 'created' | 'key_limit_reached' }>): ErrorReason {
  switch (kind) {
    case 'insufficient_credits':
    case 'request_in_progress':
    case 'idempotency_mismatch':
      return kind;
    case 'account_frozen':
      return 'service_unavailable';
  }
}
