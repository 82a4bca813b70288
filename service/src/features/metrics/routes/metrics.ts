import type { FastifyReply, FastifyRequest } from 'fastify';
import { metricsPath } from './metrics-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { contextOf } from '../../../core/http/pipeline/request-context.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { readBearer } from '../../../core/keys/read-bearer.ts';
import type { MetricsHttp } from '../metrics-parts.ts';

/** The figures for Prometheus, on the API's port for whoever has the token; guessing it is slowed (429). */
export function addMetrics(server: ApiServer, { parts, admitRequest }: RouteParts<MetricsHttp>): void {
  const { metrics, signIns } = parts;
  if (metrics === undefined) return;
  const { token, exposition } = metrics;

  const requireToken = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const presented = readBearer(request.headers.authorization, 1_024);
    const attempt = presented === undefined ? undefined : signIns.begin(contextOf(request).client, 'metrics');
    if (attempt?.kind === 'wait') void refuse(reply, 'too_many_attempts', attempt.seconds);
    else if (attempt !== undefined && presented !== undefined && token.matches(presented)) {
      attempt.succeeded();
      done();
    } else {
      contextOf(request).fault = attempt === undefined ? 'no_token' : 'token_not_known';
      void refuse(reply, 'invalid_admin_token');
    }
  };

  server.route({
    method: ['GET', 'HEAD'],
    url: metricsPath,
    schema: { hide: true },
    onRequest: [admitRequest('account'), requireToken],
    handler: async (_request, reply) =>
      reply
        .header('content-type', exposition.contentType)
        .header('cache-control', 'no-store')
        .send(await exposition.text()),
  });
}
