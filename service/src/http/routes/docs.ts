import { createHash } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import type { onRequestHookHandler, preHandlerHookHandler } from 'fastify';
import type { ApiServer } from './http-parts.ts';
import { refuse } from '../pipeline/refuse.ts';

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
  server.register(async (scope) => {
    scope.addHook('preHandler', createLeadToPage(basePath));
    scope.addHook('onSend', async (_request, reply, payload) => {
      const page =
        typeof payload === 'string' && isPage(reply.getHeader('content-type')) ? payload : undefined;
      reply.header('content-security-policy', policyFor(page));
      reply.header('referrer-policy', 'no-referrer');
      return payload;
    });
    await scope.register(scalar, {
      routePrefix: '/docs',
      configuration: { ...configuration, url: `${basePath}/openapi.json` },
      hooks: { onRequest: demandReadableHost },
    });
  });
}

/** The page works out its own address from the Host header and would fail on one that is none. */
const demandReadableHost: onRequestHookHandler = (request, reply, done) => {
  if (URL.canParse(request.url, `http://${request.hostname}`)) done();
  else void refuse(reply, 'bad_request');
};

/** What the page loads is named from below `/docs/`. The package would lead there, too, but not under a base path. */
function createLeadToPage(basePath: string): preHandlerHookHandler {
  return ({ url }, reply, done) => {
    if (url.split('?', 1)[0] === '/docs') void reply.redirect(`${basePath}/docs/`, 301);
    else done();
  };
}

function isPage(contentType: unknown): boolean {
  return typeof contentType === 'string' && contentType.startsWith('text/html');
}

/** Only scripts from here run, and the inline one of the page, which is known by its hash. */
function policyFor(page: string | undefined): string {
  const inline = page === undefined ? [] : inlineScripts(page).map((script) => `'sha256-${sha256(script)}'`);
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
