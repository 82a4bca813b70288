import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Door } from './door.ts';
import type { Gate } from './gate.ts';
import type { HttpParts } from './http-parts.ts';
import type { Notebook } from './request-notes.ts';

/** The server as routes see it: what a handler sends is checked against its response schema by the compiler. */
export type ApiServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type RouteParts = { parts: HttpParts; door: Door; gate: Gate; notebook: Notebook };
