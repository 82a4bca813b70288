import type { SwaggerTransform } from '@fastify/swagger';
import { nameSchemas } from '../schemas/name-schemas.ts';
import type { ApiServer, FeatureHttp, SecurityScheme } from './http-parts.ts';
import { introduction } from './introduction.ts';

type DocumentParts = { basePath: string; features: readonly FeatureHttp[] };

/** The OpenAPI document apart from the routes, which describe themselves. */
export const openapiDocument = ({ basePath, features }: DocumentParts) => ({
  openapi: '3.1.0',
  info: {
    title: 'Mailproof',
    version: '1',
    summary: 'Tells whether an email address can receive mail, and shows the evidence.',
    description: introduction(features.flatMap(({ useFor = [] }) => useFor)),
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: basePath === '' ? '/' : basePath }],
  tags: [
    { name: 'Verification', description: 'One address, answered at once' },
    { name: 'Bulk verification', description: 'Up to 100 addresses, answered by a task' },
    ...features.flatMap(({ tags = [] }) => tags),
    { name: 'Operation', description: 'For operators of the service; no key needed' },
  ],
  components: { securitySchemes: securitySchemesOf(features) },
});

const apiKey: SecurityScheme = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key: `mp_live_…`, or `mp_test_…` for the sandbox, which answers by local part and is free',
};

function securitySchemesOf(features: readonly FeatureHttp[]): Record<string, SecurityScheme> {
  const ofFeatures = features.flatMap(({ securitySchemes = {} }) => Object.entries(securitySchemes));
  return { ...Object.fromEntries(ofFeatures), apiKey };
}

/**
 * Turns a route into an operation. The framework cannot check a body that is streamed (`streamedBody`), so only the
 * document has its schema.
 */
export const describeRoute = ({ features }: DocumentParts): SwaggerTransform => {
  const schemes = securitySchemesOf(features);
  const isTaken = (credential: object) => Object.keys(credential).every((name) => name in schemes);
  return ({ schema, url }) => ({
    url,
    schema: {
      ...schema,
      ...(isStreamed(schema) ? { body: schema.streamedBody } : {}),
      ...(schema.security === undefined ? {} : { security: schema.security.filter(isTaken) }),
    },
  });
};

function isStreamed(schema: object): schema is { streamedBody: object } {
  return 'streamedBody' in schema;
}

/**
 * Adds the OpenAPI document, made from the schemas that requests and responses are checked against. It is made at
 * the first request: most processes never need it.
 */
export function addOpenapi(server: ApiServer, features: readonly FeatureHttp[]): void {
  let document: string | undefined;
  const webhooks = Object.fromEntries(features.flatMap((feature) => Object.entries(feature.webhooks ?? {})));
  const write = () => JSON.stringify(nameSchemas({ ...server.swagger(), webhooks }));
  server.route({
    method: 'GET',
    url: '/openapi.json',
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply.header('content-type', 'application/json; charset=utf-8').send((document ??= write())),
  });
}
