import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { trimAddress } from '@mailproof/engine';
import type { FoundFormKey } from '../find-form-key.ts';
import { formCheckPath, formScriptPath } from './form-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { contextOf } from '../../../core/http/pipeline/request-context.ts';
import { errorResponses } from '../../../core/http/schemas/errors.ts';
import { formCheckRequestSchema, formCheckResultSchema } from './form-schemas.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { byFormKey } from '../../../core/http/schemas/security.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { readBearer } from '../../../core/keys/read-bearer.ts';
import type { FormHttp } from '../form-actions.ts';

/**
 * What a sign-up form in a web page asks, from a browser that we know nothing of: by a publishable key, from the pages
 * that the key names, and for as many checks a day as it is good for.
 */
const schema = {
  operationId: 'checkForm',
  summary: 'Check an address in a sign-up form',
  description:
    'For browsers, with a publishable key and from a page that the key names. Answers within 300 ms, by syntax, lists and DNS; the mail server is not asked, and no credit is used.',
  tags: ['Forms'],
  security: byFormKey,
  body: formCheckRequestSchema,
  response: {
    200: {
      ...formCheckResultSchema,
      headers: { ...requestIdHeader, ...creditsHeader('Always 0: form checks cost nothing') },
    },
    ...errorResponses([
      'invalid_request',
      'invalid_api_key',
      'origin_not_allowed',
      'method_not_allowed',
      'too_many_checks',
      'verification_failed',
      'service_unavailable',
    ]),
  },
};

/** Small, plain and without dependencies, so it is served as it was written. */
const script = readFileSync(join(import.meta.dirname, '../form.js'));

export function addFormCheck(server: ApiServer, { parts, admitRequest }: RouteParts<FormHttp>): void {
  const { forms } = parts;
  const keys = new WeakMap<FastifyRequest, FoundFormKey>();
  async function findKey(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const text = readBearer(request.headers.authorization, 100);
    const key = text === undefined ? undefined : await forms.findKey(text);
    if (key === undefined) return refuse(reply, 'invalid_api_key');
    if (!key.origins.includes(request.headers.origin ?? '')) return refuse(reply, 'origin_not_allowed');
    contextOf(request).work = { kind: 'form', asker: key.accountId };
    keys.set(request, key);
    return undefined;
  }

  server.route({
    method: 'POST',
    url: formCheckPath,
    schema,
    onRequest: [answerAnyPage, admitRequest('form'), findKey],
    handler: async (request, reply) => {
      const key = keys.get(request);
      if (key === undefined) throw new Error('a form was checked without its key');
      const email = trimAddress(request.body.email);
      const answer = await forms.check({ key, email, visitor: contextOf(request).client });
      return answer.kind === 'checked'
        ? reply.code(200).send(answer.answer)
        : refuse(reply, 'too_many_checks', answer.retryAfterSeconds);
    },
  });
  // What browsers ask before they send a request with a key to another origin (Fetch Standard, CORS preflight).
  server.route({
    method: 'OPTIONS',
    url: formCheckPath,
    schema: { hide: true },
    onRequest: [answerAnyPage],
    handler: async (_request, reply) =>
      reply
        .header('access-control-allow-methods', 'POST')
        .header('access-control-allow-headers', 'authorization, content-type')
        .header('access-control-max-age', '86400')
        .code(204)
        .send(),
  });
  server.route({
    method: ['GET', 'HEAD'],
    url: formScriptPath,
    schema: { hide: true },
    handler: async (_request, reply) =>
      answerable(reply)
        .header('cache-control', 'public, max-age=3600')
        .header('cross-origin-resource-policy', 'cross-origin')
        .type('text/javascript; charset=utf-8')
        .send(script),
  });
}

/**
 * Every page may read the answer, refusals included: it holds nothing that belongs to the visitor, and no cookie is
 * looked at. Which pages may ask is decided by the key.
 */
const answerAnyPage: onRequestHookHandler = (_request, reply, done) => {
  answerable(reply);
  done();
};

function answerable(reply: FastifyReply): FastifyReply {
  return reply.header('access-control-allow-origin', '*');
}
