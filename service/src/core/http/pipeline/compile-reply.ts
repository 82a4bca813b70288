import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

/**
 * Compiles the serializer of a reply from its schema: fields that the schema does not name are not written. There
 * are hundreds, one for each status of each route, and most are never used. So each is compiled on first use;
 * compiling all would take longer than the rest of the start.
 */
export const compileReply: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: ((body: unknown) => string) | undefined;
  return (body: unknown) => {
    write ??= fastJsonStringify(schema);
    return write(body);
  };
};
