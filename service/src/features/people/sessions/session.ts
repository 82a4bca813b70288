import { createHash, createHmac } from 'node:crypto';
import type { Caller } from '../../../core/keys/authenticate.ts';

/**
 * A signed-in browser. It holds a random id in a cookie; the store holds a hash of it. All other secrets are derived
 * from the id, so reading the database does not help an attacker.
 */
export type Session = Visitor & {
  /** Sent by a page with every change, because another site can make a browser send the cookie. */
  csrfToken: string;
};

/**
 * A signed-in visitor: the holder of a key or the admin token, or a person confirmed by the provider. The person
 * belongs to an account or is on the operators' list.
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
