import type { BulkTaskProgress } from '@mailproof/client';
import type { ApiServer, RouteParts } from './http-parts.ts';
import { taskPath } from '../pipeline/paths.ts';
import { presentProgress, withResults } from '../present/task.ts';
import { refuse } from '../pipeline/refuse.ts';
import { callerOf, contextOf } from '../pipeline/request-context.ts';
import { bulkProgressSchema } from '../schemas/bulk-schemas.ts';
import { errorResponses } from '../schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../schemas/headers.ts';
import { explainQuery, taskParameters } from '../schemas/request-parameters.ts';
import { byKey } from '../schemas/security.ts';

const schema = {
  operationId: 'readBulkTask',
  summary: 'Progress and results of a task',
  description: 'Free of charge. Ask again after a few seconds until `status` is `completed`.',
  tags: ['Bulk verification'],
  security: byKey('tasks'),
  params: taskParameters,
  querystring: explainQuery,
  response: {
    200: {
      ...bulkProgressSchema,
      headers: {
        ...requestIdHeader,
        ...creditsHeader(
          'What the task holds or was charged: the number of conclusive results once completed',
        ),
      },
    },
    ...errorResponses([
      'invalid_api_key',
      'insufficient_scope',
      'rate_limited',
      'cross_site_request',
      'task_not_found',
      'method_not_allowed',
      'verification_failed',
      'verification_unavailable',
      'service_unavailable',
      'verification_timeout',
    ]),
  },
};

export function addReadBulkTask(server: ApiServer, { parts, authenticateRequest }: RouteParts): void {
  server.route({
    method: 'GET',
    url: taskPath,
    schema,
    onRequest: authenticateRequest('read', 'tasks:read'),
    handler: async (request, reply) => {
      const { taskId } = request.params;
      const explain = request.query.explain === 'true';
      const caller = callerOf(request);
      const answer = await parts.readTask({ caller, taskId: taskId.toLowerCase(), explain });
      if (answer.kind === 'task_not_found') return refuse(reply, 'task_not_found');

      contextOf(request).creditsUsed = answer.creditsUsed;
      return reply
        .code(200)
        .header('x-credits-used', String(answer.creditsUsed))
        .type('application/json; charset=utf-8')
        .serializer((progress: BulkTaskProgress) => withResults(progress, answer.resultsJson))
        .send(presentProgress(answer));
    },
  });
}
