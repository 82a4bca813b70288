import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { parseBody } from './parse-body.ts';
import { isApiUrl } from './paths.ts';
import { contextOf } from './request-context.ts';

/** Passes the body to the framework. Faults in a body go to the log, for developers who try out the API. */
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

/** Tells whether a request needs a body. Many clients send a content type with every request, even without a body. */
function needsBody({ method, url, routeOptions }: FastifyRequest): boolean {
  const isPlain = method === 'DELETE' || isApiUrl(url);
  return !isPlain || routeOptions.schema?.body !== undefined;
}

/**
 * Compiles the check of a body from its schema, on first use: nothing is coerced, filled in or removed. Parameters
 * outside the body have schemas too, but their handlers read them, so that an odd query or header never rejects a
 * plain call.
 */
export const compileBodyCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return () => true;
  let check: ReturnType<typeof Compile> | undefined;
  return (body) => ((check ??= Compile(schema)).Check(body) ? { value: body } : { error: invalidBody() });
};

/**
 * Returns the error for a body that cannot be read or does not fit its schema. It says nothing of the body, because
 * the contract has one reason for every fault.
 */
function invalidBody(): Error & { statusCode: number } {
  return Object.assign(new Error('invalid request body'), { statusCode: 400 });
}
