import type { ApiServer } from '../api-server.ts';

/** The OpenAPI document, made once, from the schemas that requests and responses are held to. */
export function addOpenapi(server: ApiServer): void {
  const document = { text: '' };
  server.addHook('onReady', (done) => {
    document.text = JSON.stringify(server.swagger());
    done();
  });
  server.route({
    method: 'GET',
    url: '/openapi.json',
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply.header('content-type', 'application/json; charset=utf-8').send(document.text),
  });
}
