import type { BulkTaskCreated, ErrorReason } from '@mailproof/client';
import type { CreateTaskAnswer } from '../../tasks/create-task.ts';
import type { ApiServer, RouteParts } from '../api-server.ts';
import { hashRequest, readIdempotencyKey } from '../idempotency-key.ts';
import { bulkPath } from '../paths.ts';
import { refuse } from '../refuse.ts';
import { bulkCreatedSchema, bulkRequestSchema } from '../schemas/bulk-schemas.ts';
import { creationReasons, errorResponses } from '../schemas/error-schema.ts';
import { creditsHeader, requestIdHeader } from '../schemas/headers.ts';
import { idempotencyHeaders } from '../schemas/request-parameters.ts';
import { isStorable } from '../storable.ts';

const schema = {
  operationId: 'createBulkTask',
  summary: 'Verify up to 100 addresses',
  description:
    'Creates a task. Credits are reserved for every submitted address; those of duplicates, rejected addresses and inconclusive results are returned.',
  tags: ['Bulk verification'],
  security: [{ apiKey: [] }],
  body: bulkRequestSchema,
  headers: idempotencyHeaders,
  response: {
    201: {
      ...bulkCreatedSchema,
      headers: { ...requestIdHeader, ...creditsHeader('Credits the task holds') },
    },
    ...errorResponses(['invalid_batch', ...creationReasons]),
  },
};

export function addCreateBulkTask(server: ApiServer, { parts, gate, notebook }: RouteParts): void {
  server.route({
    method: 'POST',
    url: bulkPath,
    schema,
    onRequest: gate('bulk'),
    handler: async (request, reply) => {
      const caller = notebook.callerOf(request);
      const { emails, name } = request.body;
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      if (!isStorable(name) || idempotencyKey.kind === 'malformed') return refuse(reply, 'invalid_batch');

      notebook.of(request).emails = emails.length;
      const answer = await parts.createTask({
        caller,
        emails,
        name,
        requestId: request.id,
        idempotency:
          idempotencyKey.kind === 'absent'
            ? undefined
            : { key: idempotencyKey.key, bodyHash: hashRequest('bulk', caller.mode, [emails, name ?? null]) },
      });
      if (answer.kind !== 'created') return refuse(reply, reasonFor(answer));

      notebook.of(request).creditsUsed = answer.creditsUsed;
      return reply.code(201).header('x-credits-used', String(answer.creditsUsed)).send(present(answer));
    },
  });
}

function present({ taskId, counts }: CreateTaskAnswer & { kind: 'created' }): BulkTaskCreated {
  return {
    status: 'success',
    task_id: taskId,
    count_submitted: counts.submitted,
    count_duplicates_removed: counts.duplicatesRemoved,
    count_rejected_emails: counts.rejected,
    count_processing: counts.processing,
  };
}

function reasonFor({ kind }: Exclude<CreateTaskAnswer, { kind: 'created' }>): ErrorReason {
  switch (kind) {
    case 'insufficient_credits':
    case 'request_in_progress':
    case 'idempotency_mismatch':
      return kind;
    case 'account_frozen':
      return 'service_unavailable';
  }
}
