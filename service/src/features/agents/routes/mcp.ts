import type { Fetch, FetchBody } from '@mailproof/client';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { allowsClient } from '../../../core/keys/key-limits.ts';
import { mcpPath } from './agent-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { callerOf, contextOf } from '../../../core/http/pipeline/request-context.ts';
import type { ApiServer, HttpParts, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { readBearer } from '../../../core/keys/read-bearer.ts';
import { once } from '../../../core/process/once.ts';

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions: each request stands alone, so that any
 * process may answer it. A tool asks the API of this very process with the key of whoever called, so that whatever holds
 * there holds here. Browsers that have signed in cannot call it: their cookie is not looked at.
 */
export function addMcp(server: ApiServer, { parts, admitRequest }: RouteParts): void {
  // The protocol's package takes 10 MB and a quarter of a second to load, which only those pay who use it.
  const open = once(async () => {
    const { createHttpHandler } = await import('../create-http-handler.ts');
    return createHttpHandler((error) =>
      parts.logger.warn({ err: error }, 'a request of an agent was not understood'),
    );
  });
  server.route({
    method: 'POST',
    url: mcpPath,
    schema: { hide: true },
    onRequest: [refuseOtherPages, admitRequest('read'), createDemandKey(parts)],
    handler: async (request, reply) => {
      const handle = await open();
      const { keyId } = callerOf(request);
      const agent = {
        // Only a key is let in here.
        keyId: keyId ?? '',
        apiKey: readBearer(request.headers.authorization, 200) ?? '',
        fetch: fetchInside(server, request),
      };
      return send(reply, await handle(asWebRequest(request, reply), agent, request.body));
    },
  });
}

/** A page of another site must not reach a service on its visitor's machine by a name that it chose (DNS rebinding). */
const refuseOtherPages: onRequestHookHandler = (request, reply, done) => {
  const { origin, host } = request.headers;
  if (origin === undefined || origin.replace(/^https?:\/\//, '') === host) done();
  else void refuse(reply, 'cross_site_request');
};

/** Who has no key gets no further than this. What the key may do is for the API to say. */
function createDemandKey({ authenticate, clientAddress }: HttpParts): onRequestHookHandler {
  return (request, reply, done) => {
    Promise.resolve(authenticate(request.headers.authorization))
      .then((caller) => {
        const context = contextOf(request);
        // It takes no place itself from here on: each call to the API that it leads to takes its own.
        delete context.work;
        const isElsewhere = !allowsClient(caller?.limits, () => clientAddress(request));
        if (caller === undefined || isElsewhere) {
          const fault = isElsewhere ? 'address_not_allowed' : 'key_not_known';
          context.fault = request.headers.authorization === undefined ? 'no_key' : fault;
          void refuse(reply, 'invalid_api_key');
          return;
        }
        context.caller = caller;
        done();
      })
      .catch(done);
  };
}

/** What says on whose behalf a request is made: the same for what it leads to. */
const passedOn = ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'traceparent'];

/** The API of this process, asked as from the client's own connection. */
function fetchInside(server: ApiServer, { headers, raw, id }: FastifyRequest): Fetch {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    passedOn.includes(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return async (url, init) => {
    const { pathname, search } = new URL(url);
    const payload = init.body === undefined ? undefined : await bytesOf(init.body);
    const response = await server.inject({
      method: init.method,
      url: `${pathname}${search}`,
      headers: {
        ...init.headers,
        ...Object.fromEntries(kept),
        host: headers.host ?? 'localhost',
        'x-request-id': id,
      },
      remoteAddress: raw.socket.remoteAddress ?? '',
      signal: init.signal,
      ...(payload === undefined ? {} : { payload }),
    });
    return {
      status: response.statusCode,
      headers: { get: (name) => headerOf(response.headers[name]) },
      text: () => Promise.resolve(response.payload),
    };
  };
}

async function bytesOf(body: FetchBody): Promise<Buffer> {
  return Buffer.from(await new Response(body).arrayBuffer());
}

function headerOf(value: number | string | string[] | undefined): string | null {
  return value === undefined ? null : value.toString();
}

function asWebRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.on('close', () => gone.abort());
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  // The body has been read; only its headers matter here.
  return new Request(`http://localhost${mcpPath}`, {
    method: 'POST',
    headers,
    signal: gone.signal,
    body: '{}',
  });
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const type = response.headers.get('content-type');
  if (type !== null) reply.type(type);
  const body = await response.text();
  return reply
    .header('cache-control', 'no-store')
    .code(response.status)
    .send(body === '' ? undefined : body);
}
