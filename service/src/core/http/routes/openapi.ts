import type { SwaggerTransform } from '@fastify/swagger';
import { sessionCookieName } from '../../../features/people/sessions/session-cookie.ts';
import { documentedWebhooks } from '../../../features/webhooks/routes/event-schemas.ts';
import { nameSchemas } from '../schemas/name-schemas.ts';
import type { ApiServer } from './http-parts.ts';
import { introduction } from './introduction.ts';

/** What the OpenAPI document says apart from the routes. The routes describe themselves. */
export const openapiDocument = (basePath: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Mailproof',
    version: '1',
    summary: 'Tells whether an email address can receive mail, and shows the evidence.',
    description: introduction,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: basePath === '' ? '/' : basePath }],
  tags: [
    { name: 'Verification', description: 'One address, answered at once' },
    { name: 'Bulk verification', description: 'Up to 100 addresses, answered by a task' },
    { name: 'Lists', description: 'A file with addresses, checked and given back with what was found' },
    { name: 'Account', description: 'Balance, ledger, usage, tasks and keys of the account; free of charge' },
    {
      name: 'People',
      description: 'Who signs in to the account with an OpenID provider; only where one is set',
    },
    { name: 'Forms', description: 'A guard for sign-up forms, asked by browsers with a publishable key' },
    { name: 'Webhooks', description: 'Endpoints of yours that are told of events (Standard Webhooks 1.0.0)' },
    { name: 'Administration', description: 'For the operator; only where an admin token is set' },
    { name: 'Session', description: 'For browsers: a cookie in place of a key' },
    { name: 'Probers', description: 'For probers: lease questions to mail hosts, report what was said' },
    { name: 'Operation', description: 'For operators of the service; no key needed' },
  ],
  components: {
    securitySchemes: {
      adminToken: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'The operator’s token, `MAILPROOF_ADMIN_TOKEN`',
      },
      proberSecret: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'The secret that a prober made itself: `mp_prober_…`; known once it has enrolled',
      },
      session: {
        type: 'apiKey' as const,
        in: 'cookie' as const,
        name: sessionCookieName,
        description:
          'For browsers: the cookie that `POST /session` sets. Every method but GET and HEAD needs the `X-CSRF-Token` too',
      },
      formKey: {
        type: 'http' as const,
        scheme: 'bearer',
        description:
          'A publishable key, `mp_pub_…`: it may stand in web pages, and is good for form checks from these alone',
      },
      apiKey: {
        type: 'http' as const,
        scheme: 'bearer',
        description:
          'An API key: `mp_live_…`, or `mp_test_…` for the sandbox, which answers by local part and is free',
      },
    },
  },
});

/**
 * How a route becomes an operation. A body that is read as it comes (`streamedBody`) is nothing that the framework could
 * check, so that the document alone is told of it.
 */
export const describeRoute: SwaggerTransform = ({ schema, url }) => ({
  url,
  schema: isStreamed(schema) ? { ...schema, body: schema.streamedBody } : schema,
});

function isStreamed(schema: object): schema is { streamedBody: object } {
  return 'streamedBody' in schema;
}

/**
 * The OpenAPI document, from the schemas that requests and responses are held to. It is made once, for whoever asks first:
 * most processes end without having been asked.
 */
export function addOpenapi(server: ApiServer): void {
  let document: string | undefined;
  const write = () => JSON.stringify(nameSchemas({ ...server.swagger(), webhooks: documentedWebhooks }));
  server.route({
    method: 'GET',
    url: '/openapi.json',
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply.header('content-type', 'application/json; charset=utf-8').send((document ??= write())),
  });
}
