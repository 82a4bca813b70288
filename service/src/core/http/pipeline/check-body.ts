import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { parseBody } from './parse-body.ts';
import { isApiUrl } from './paths.ts';
import { contextOf } from './request-context.ts';

/** Hands the body to the framework. What is wrong with one goes to the log, where whoever tries the API first looks. */
export function readBody(
  request: FastifyRequest,
  bytes: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (bytes.length === 0 && !needsBody(request)) {
    done(null);
    return;
  }
  const read = parseBody(request.headers, bytes);
  if (read.kind === 'read') {
    done(null, read.body);
    return;
  }
  contextOf(request).fault = read.fault;
  done(invalidBody());
}

/** Many clients name a content type with every request, those without a body included. */
function needsBody({ method, url, routeOptions }: FastifyRequest): boolean {
  const isPlain = method === 'DELETE' || isApiUrl(url);
  return !isPlain || routeOptions.schema?.body !== undefined;
}

/**
 * Makes the check of a body out of its schema: nothing is coerced, nothing is filled in, nothing is
 * removed. Parameters outside the body are described by schemas too, but their handlers read them, so
 * that an odd query or header never turns a plain call away. A check is made when a body is first held to it.
 */
export const compileBodyCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return () => true;
  let check: ReturnType<typeof Compile> | undefined;
  return (body) => ((check ??= Compile(schema)).Check(body) ? { value: body } : { error: invalidBody() });
};

/**
 * What the framework is told when a body cannot be read or does not fit its schema. It says nothing of the
 * body, because the contract has one reason for every fault.
 */
function invalidBody(): Error & { statusCode: number } {
  return Object.assign(new Error('invalid request body'), { statusCode: 400 });
}
