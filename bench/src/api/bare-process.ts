/**
 * The framework by itself: Fastify as it comes, JSON in, JSON out, no key, no schema, no store, no log. Each route
 * takes a body and gives an answer of the same size as ours does.
 */
import fastify from 'fastify';
import { answerQuestions, type ChildModule } from '../processes/child.ts';

type BareRoute = { method: 'GET' | 'POST'; path: string; status: number; answer: unknown };

type BareAnswer = { port: number };

export const bareModule: ChildModule<BareRoute[], BareAnswer> = {
  path: import.meta.filename,
};

answerQuestions(import.meta.filename, serve);

async function serve(routes: BareRoute[]): Promise<BareAnswer> {
  const server = fastify({ logger: false });
  for (const { method, path, status, answer } of routes) {
    server.route({
      method,
      url: path,
      handler: async (_request, reply) => reply.code(status).send(answer),
    });
  }
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the bare server listens on no port');
  return { port: address.port };
}
