import { createHash } from 'node:crypto';
import { contractLimits } from '@mailproof/client';
import type { FastifyReply } from 'fastify';

type ReadIdempotencyKey = { kind: 'absent' } | { kind: 'present'; key: string } | { kind: 'malformed' };

/** 1 to 255 visible ASCII characters. Two header lines arrive joined by a comma and a blank, and fail here. */
export function readIdempotencyKey(header: string | string[] | undefined): ReadIdempotencyKey {
  if (header === undefined) return { kind: 'absent' };
  if (typeof header !== 'string' || header.length > contractLimits.idempotencyKeyCharacters)
    return { kind: 'malformed' };
  return /^[\x21-\x7e]+$/.test(header) ? { kind: 'present', key: header } : { kind: 'malformed' };
}

/** Names the request in its mode: what a test key has sent never stands in the way of a live one. */
export function keyInMode(key: string, mode: 'live' | 'test'): string {
  // No key of a client has a blank in it.
  return mode === 'live' ? key : `test ${key}`;
}

/** Says that the answer was given before, so that a client which counts credits counts them once. */
export function markReplay(reply: FastifyReply, isReplay: boolean): FastifyReply {
  return isReplay ? reply.header('idempotent-replayed', 'true') : reply;
}

/**
 * What makes two requests the same besides the key: all that the answer depends on. The mode is part of
 * it, so that a live key never replays what the sandbox made up.
 */
export function hashRequest(
  endpoint: 'single' | 'bulk' | 'list' | 'list_start',
  mode: 'live' | 'test',
  fields: unknown[],
): string {
  return createHash('sha256')
    .update(JSON.stringify([endpoint, mode, ...fields]))
    .digest('hex');
}
