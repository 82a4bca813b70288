import { createHash, createHmac } from 'node:crypto';
import type { Caller } from '../../../core/keys/authenticate.ts';

/**
 * A browser that has signed in. It holds a random id in a cookie; the store holds a hash of it. Every other secret is
 * derived from the id, so that only the browser can present it: reading the database does not help.
 */
export type Session = Visitor & {
  /** Sent by a page with every change, because another site can make a browser send the cookie. */
  csrfToken: string;
};

/**
 * Who has signed in: the holder of a key or of the admin token, or somebody whom the provider vouches for, as one of an
 * account's people or under a name of the operators' list.
 */
export type Visitor =
  { kind: 'account'; caller: Caller } | { kind: 'operator'; name?: string; subject?: string };

/** 256 random bits, written as base64url. */
export const sessionIdShape = /^[\w-]{43}$/;

export function hashSessionId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

export function csrfTokenOf(id: string): string {
  return createHmac('sha256', id).update('csrf').digest('base64url');
}
