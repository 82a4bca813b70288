import { Type } from 'typebox';
import type { ApiServer, RouteParts } from '../api-server.ts';
import { requestIdHeader } from '../schemas/headers.ts';

const schema = {
  operationId: 'readyz',
  summary: 'Whether requests can be served',
  tags: ['Operation'],
  response: {
    200: Type.Object(
      { status: Type.Literal('ready') },
      { description: 'They can', headers: requestIdHeader },
    ),
    503: Type.Object(
      { status: Type.Literal('not_ready'), problems: Type.Array(Type.String()) },
      {
        description: 'They cannot, and what is wrong',
        headers: requestIdHeader,
        examples: [{ status: 'not_ready', problems: ['draining'] }],
      },
    ),
  },
};

export function addReadyz(server: ApiServer, { parts }: Pick<RouteParts, 'parts'>): void {
  server.route({
    method: 'GET',
    url: '/readyz',
    schema,
    handler: async (_request, reply) => {
      const readiness = parts.admission.isDraining()
        ? { ready: false as const, problems: ['draining: the service is going down'] }
        : await parts.readiness();
      if (readiness.ready) return reply.code(200).send({ status: 'ready' });
      return reply.code(503).send({ status: 'not_ready', problems: readiness.problems });
    },
  });
}
