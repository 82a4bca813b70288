import { Type } from 'typebox';
import type { ApiServer } from '../api-server.ts';
import { requestIdHeader } from '../schemas/headers.ts';

const schema = {
  operationId: 'healthz',
  summary: 'Whether the process is alive',
  tags: ['Operation'],
  response: {
    200: Type.Object({ status: Type.Literal('ok') }, { description: 'It is', headers: requestIdHeader }),
  },
};

export function addHealthz(server: ApiServer): void {
  server.route({
    method: 'GET',
    url: '/healthz',
    schema,
    handler: async (_request, reply) => reply.code(200).send({ status: 'ok' }),
  });
}
