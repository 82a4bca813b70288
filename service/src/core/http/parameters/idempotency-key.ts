import { createHash } from 'node:crypto';
import { contractLimits } from '@mailproof/client';
import type { FastifyReply } from 'fastify';

type ReadIdempotencyKey = { kind: 'absent' } | { kind: 'present'; key: string } | { kind: 'malformed' };

/** Accepts 1 to 255 visible ASCII characters. Two header lines arrive joined by a comma and a blank, and fail here. */
export function readIdempotencyKey(header: string | string[] | undefined): ReadIdempotencyKey {
  if (header === undefined) return { kind: 'absent' };
  if (typeof header !== 'string' || header.length > contractLimits.idempotencyKeyCharacters)
    return { kind: 'malformed' };
  return /^[\x21-\x7e]+$/.test(header) ? { kind: 'present', key: header } : { kind: 'malformed' };
}

/** Returns the key within its mode: the requests of a test key never conflict with those of a live one. */
export function keyInMode(key: string, mode: 'live' | 'test'): string {
  // Keys of clients contain no blank.
  return mode === 'live' ? key : `test ${key}`;
}

/** Marks an answer as given before, so that a client that counts credits counts them once. */
export function markReplay(reply: FastifyReply, isReplay: boolean): FastifyReply {
  return isReplay ? reply.header('idempotent-replayed', 'true') : reply;
}

/**
 * Hashes everything that the answer depends on, besides the key. The mode is part of it, so that a live key never
 * replays an answer of the sandbox.
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
