import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { unreadable } from './unreadable.ts';

/**
 * Makes the check of a body out of its schema: nothing is coerced, nothing is filled in, nothing is
 * removed. Parameters outside the body are described by schemas too, but their handlers read them, so
 * that an odd query or header never turns a plain call away.
 */
export const compileBodyCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return () => true;
  const check = Compile(schema);
  return (body) => (check.Check(body) ? { value: body } : { error: unreadable() });
};
