import type { ErrorReason } from '@mailproof/client';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailableError } from '../../store/store-unavailable-error.ts';
import { bulkPath, singlePath } from './paths.ts';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';

/**
 * Turns what was thrown into an answer: the client's fault is the endpoint's 400, a store that does not answer and a
 * machine that has nothing left are 503, which are counted in the log (log-refusals.ts), and everything else is a defect
 * of ours, which the log hears of and the client does not.
 */
export function createErrorHandler(logger: FastifyBaseLogger, random: () => number = Math.random) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (isClientsFault(error)) return refuse(reply, badRequestReason(request.routeOptions.url));
    if (error instanceof StoreUnavailableError) {
      contextOf(request).fault = `store_${error.fault}`;
      return refuse(reply, 'service_unavailable', spreadSeconds(random()));
    }
    if (isShortage(error)) {
      contextOf(request).fault = 'machine_exhausted';
      return refuse(reply, 'service_unavailable');
    }
    if (!isGone(error, reply)) logger.error({ request_id: request.id, err: error }, 'defect');
    return refuse(reply, 'verification_failed');
  };
}

/** Clients that were refused together come back apart: one to four seconds later. */
function spreadSeconds(random: number): number {
  return 1 + Math.floor(random * 4);
}

const shortages: ReadonlySet<unknown> = new Set(['EBUSY', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** It passes, so the client may try again; nothing was found out about any address. */
function isShortage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && shortages.has(error.code);
}

/** The client hung up and its work was aborted: that is no defect, and nobody reads the answer. */
function isGone(error: unknown, { raw }: FastifyReply): boolean {
  return raw.closed && error instanceof Error && error.name === 'AbortError';
}

/** What an endpoint calls a request it cannot read. */
function badRequestReason(route: string | undefined): ErrorReason {
  if (route === singlePath) return 'invalid_email';
  if (route === bulkPath) return 'invalid_batch';
  return route === undefined ? 'bad_request' : 'invalid_request';
}

/** Body parsing and schema checks throw errors with a status of the 400s; nothing of ours does. */
function isClientsFault(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}
