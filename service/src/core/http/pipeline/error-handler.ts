import type { ErrorReason } from '@mailproof/client';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailableError } from '../../store/store-unavailable-error.ts';
import { bulkPath, singlePath } from './paths.ts';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';

/**
 * Turns an error into an answer. A client's fault is the endpoint's 400. An unavailable store and an exhausted
 * machine are 503, counted in the log (log-refusals.ts). Any other error is a defect of ours: it goes to the log,
 * not to the client.
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

/** Spreads the retries of clients that were refused together over one to four seconds. */
function spreadSeconds(random: number): number {
  return 1 + Math.floor(random * 4);
}

const shortages: ReadonlySet<unknown> = new Set(['EBUSY', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Tells whether a resource has run out. This passes, so the client may retry; no address was judged. */
function isShortage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && shortages.has(error.code);
}

/** Tells whether the client hung up and its work was aborted: this is no defect, and the answer has no reader. */
function isGone(error: unknown, { raw }: FastifyReply): boolean {
  return raw.closed && error instanceof Error && error.name === 'AbortError';
}

/** Returns the endpoint's reason for a request that it cannot read. */
function badRequestReason(route: string | undefined): ErrorReason {
  if (route === singlePath) return 'invalid_email';
  if (route === bulkPath) return 'invalid_batch';
  return route === undefined ? 'bad_request' : 'invalid_request';
}

/**
 * Tells whether the client is at fault. Body parsing and schema checks throw errors with a 4xx status; our own code
 * does not.
 */
function isClientsFault(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}
