import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

/**
 * Makes what writes a reply out of its schema: what the schema does not name is not written. There are hundreds of them,
 * one for each status of each route, and most are never answered with: each is made when it is first needed, since
 * making all of them would take longer than everything else at the start.
 */
export const compileReply: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: ((body: unknown) => string) | undefined;
  return (body: unknown) => {
    write ??= fastJsonStringify(schema);
    return write(body);
  };
};
