import { createHash } from 'node:crypto';
import fastify, { type FastifyReply, type onRequestHookHandler } from 'fastify';
import { once } from '../../process/once.ts';
import { refuse } from '../pipeline/refuse.ts';
import type { ApiServer } from './http-parts.ts';

/**
 * The reference page, wholly from this process. Everything in it that would reach out (fonts, a proxy for
 * requests, telemetry, an assistant) is switched off, and a content security policy holds it to that: what
 * was forgotten, or is added by a later version of the page, the browser refuses to load.
 */
const configuration = {
  pageTitle: 'Mailproof API',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never' as const,
};

export function addDocs(server: ApiServer, basePath: string): void {
  const open = once(() => openReference(basePath));
  const add = (url: string, answer: (reply: FastifyReply) => FastifyReply | Promise<FastifyReply>) =>
    server.route({
      method: 'GET',
      url,
      schema: { hide: true },
      onRequest: demandReadableHost,
      handler: async (_request, reply) => {
        reply.header('content-security-policy', policyFor());
        reply.header('referrer-policy', 'no-referrer');
        return answer(reply);
      },
    });
  // What the page loads is named from below `/docs/`.
  add('/docs', (reply) => reply.redirect(`${basePath}/docs/`, 301));
  add('/docs/', async (reply) => {
    const { page } = await open();
    reply.header('content-security-policy', policyFor(page));
    return reply.type('text/html; charset=utf-8').send(page);
  });
  add('/docs/js/scalar.js', async (reply) => {
    const { script } = await open();
    return reply.type('application/javascript; charset=utf-8').send(script);
  });
}

/**
 * The package answers requests of a server. It gets one of its own, and is loaded with its hundreds of files when the page
 * is first asked for: most processes never are.
 */
async function openReference(basePath: string): Promise<{ page: string; script: string }> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: { ...configuration, url: `${basePath}/openapi.json` },
  });
  const page = await server.inject('/docs/');
  const script = await server.inject('/docs/js/scalar.js');
  return { page: page.body, script: script.body };
}

/** A Host that is none is to be refused (RFC 9112 section 3.2); the page would make links of it. */
const demandReadableHost: onRequestHookHandler = (request, reply, done) => {
  if (URL.canParse(request.url, `http://${request.hostname}`)) done();
  else void refuse(reply, 'bad_request');
};

/** Only scripts from here run, and the inline one of the page, which is known by its hash. */
function policyFor(page = ''): string {
  const inline = inlineScripts(page).map((script) => `'sha256-${sha256(script)}'`);
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...inline].join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function inlineScripts(page: string): string[] {
  return [...page.matchAll(/<script(?<attributes>[^>]*)>(?<script>[\s\S]*?)<\/script>/g)]
    .filter(({ groups }) => !(groups?.['attributes'] ?? '').includes('src='))
    .map(({ groups }) => groups?.['script'] ?? '');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
