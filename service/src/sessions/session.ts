import { createHash, createHmac } from 'node:crypto';
import type { Caller } from '../keys/authenticate.ts';

/**
 * A browser that has signed in. It holds a random id in a cookie; the store holds a hash of it. Everything else that
 * has to be secret is derived from the id, so that nobody but the browser can make it up: not whoever reads the
 * database either.
 */
export type Session = Visitor & {
  /** What a page has to send along with every change, because another site can make a browser send the cookie. */
  csrfToken: string;
};

/** Who has signed in: the holder of a key, or of the admin token. */
export type Visitor = { kind: 'account'; caller: Caller } | { kind: 'operator' };

/** 256 random bits, written as base64url. */
export const sessionIdShape = /^[\w-]{43}$/;

export function hashSessionId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

export function csrfTokenOf(id: string): string {
  return createHmac('sha256', id).update('csrf').digest('base64url');
}
