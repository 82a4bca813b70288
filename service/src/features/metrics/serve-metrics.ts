import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Config } from '../../core/config/config.ts';
import type { Exposition } from './create-exposition.ts';
import type { AdminToken } from '../../core/keys/admin-token.ts';
import { lineFor } from '../../core/http/listen-failure.ts';
import { reachableUrl } from '../../core/http/reachable-url.ts';
import { StartError } from '../../core/config/start-error.ts';
import { readBearer } from '../../core/keys/read-bearer.ts';

type ServeMetricsParts = {
  exposition: Exposition;
  /** Demanded where it is set. */
  token: AdminToken;
  onProblem: (message: string, error?: unknown) => void;
};

/** A port of its own for `/metrics`, which a process of any role can have. It is closed last, after the drain. */
export async function serveMetrics(
  { host, metricsPort }: Pick<Config, 'host' | 'metricsPort'>,
  parts: ServeMetricsParts,
): Promise<{ url: string; stop: () => Promise<void> } | undefined> {
  if (metricsPort === undefined) return undefined;
  const server = createServer((request, response) => void answer(request, response, parts));
  server.maxConnections = mostConnections;
  server.listen(metricsPort, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new StartError(
      lineFor(error, { host, port: metricsPort, setting: 'MAILPROOF_METRICS_PORT' }),
      error,
    );
  }
  const address = server.address();
  return {
    url: `${reachableUrl(host, address !== null && typeof address === 'object' ? address.port : metricsPort)}/metrics`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const mostConnections = 50;

async function answer(
  { method = '', url = '', headers }: IncomingMessage,
  response: ServerResponse,
  { exposition, token, onProblem }: ServeMetricsParts,
): Promise<void> {
  const presented = readBearer(headers.authorization, 1_024) ?? '';
  if (url.split('?', 1)[0] !== '/metrics') end(response, 404);
  else if (method !== 'GET' && method !== 'HEAD') end(response.setHeader('allow', 'GET, HEAD'), 405);
  else if (token.isSet && !token.matches(presented))
    end(response.setHeader('www-authenticate', 'Bearer'), 401);
  else {
    try {
      const text = await exposition.text();
      end(response.setHeader('content-type', exposition.contentType), 200, method === 'HEAD' ? '' : text);
    } catch (error) {
      onProblem('the metrics could not be read', error);
      end(response, 500);
    }
  }
}

function end(response: ServerResponse, status: number, body = ''): void {
  response.writeHead(status).end(body);
}
