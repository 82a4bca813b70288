import type { FastifyReply, FastifyRequest } from 'fastify';
import { createFrontPage } from '../about/about-page.ts';
import type { ApiServer, RouteParts } from '../../core/http/routes/http-parts.ts';
import { assetPath, consolePaths, consolePathsBelow } from './console-paths.ts';
import type { AboutHttp } from '../about/about-host.ts';
import type { ConsoleFile, ConsoleFiles } from './read-console-files.ts';

export type ConsoleHttp = AboutHttp & { consoleFiles: ConsoleFiles };

import { refuse } from '../../core/http/pipeline/refuse.ts';

/**
 * The console's files. One page serves all console addresses; browsers revalidate it each time, which costs a 304. The
 * assets have names that change with their content and are cached for a year. The policy allows nothing to be loaded
 * from elsewhere or sent elsewhere.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = 'The console is not built: run `node console/build.ts`, then start the service again.\n';

export function addConsoleFiles(server: ApiServer, { parts }: Pick<RouteParts<ConsoleHttp>, 'parts'>): void {
  const { page, assets } = parts.consoleFiles;
  const method = ['GET', 'HEAD'];
  const frontPage = createFrontPage(parts.about);
  for (const url of [...consolePaths, ...consolePathsBelow]) {
    server.route({
      method,
      url,
      schema: { hide: true },
      handler: async (request, reply) =>
        (url === '/' ? frontPage(request, reply) : undefined) ??
        (page === undefined
          ? guarded(reply)
              .type('text/plain; charset=utf-8')
              .header('cache-control', 'no-store')
              .send(notBuilt)
          : sendFile(page, request, reply)),
    });
  }
  server.route<{ Params: { '*': string } }>({
    method,
    url: assetPath,
    schema: { hide: true },
    handler: async (request, reply) => {
      const file = assets.get(request.params['*']);
      return file === undefined ? refuse(reply, 'not_found') : sendFile(file, request, reply);
    },
  });
}

function guarded(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
}

/** Node sends no body in answer to HEAD, and the length all the same. */
function sendFile({ type, hashed, forms }: ConsoleFile, request: FastifyRequest, reply: FastifyReply) {
  const names = forms.map(({ encoding }) => encoding);
  const encoding = chooseEncoding(request.headers['accept-encoding'], names);
  const form = forms.find((one) => one.encoding === encoding);
  if (form === undefined) throw new Error('a file of the console without its plain form');
  guarded(reply)
    .header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'Accept-Encoding')
    .header('etag', form.etag);
  if (isKnown(request.headers['if-none-match'], form.etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(type).send(form.bytes);
}

/** RFC 9110 section 13.1.2: compared weakly, so that a proxy that marked the tag as weak is understood. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}

/**
 * Which of the encodings at hand a client prefers us to send (RFC 9110 section 12.5.3): one it takes, the earlier in
 * our list the better. `identity` is sent where it takes none, or says nothing.
 */
function chooseEncoding<Encoding extends string>(
  acceptEncoding: string | undefined,
  atHand: readonly Encoding[],
): Encoding | 'identity' {
  const weights = readWeights(acceptEncoding ?? '');
  const taken = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  return atHand.find((encoding) => encoding !== 'identity' && taken(encoding) > 0) ?? 'identity';
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, /^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.test(quality) ? Number(quality) : 0);
  }
  return weights;
}
