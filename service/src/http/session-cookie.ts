import { fastifyCookie } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { sessionLifeMs } from '../sessions/create-sessions.ts';

/** The cookie that stands for a key or token in a browser: out of reach of scripts, and sent to this site only. */
const name = 'mailproof_session';

const attributes = { path: '/', httpOnly: true, sameSite: 'strict' } as const;

export function readSessionCookie(header: string | undefined): string | undefined {
  return header === undefined ? undefined : fastifyCookie.parse(header)[name];
}

export function sessionCookie(id: string, request: FastifyRequest): string {
  const maxAge = sessionLifeMs / 1_000;
  return fastifyCookie.serialize(name, id, { ...attributes, secure: cameByHttps(request), maxAge });
}

export function clearedSessionCookie(request: FastifyRequest): string {
  return fastifyCookie.serialize(name, '', { ...attributes, secure: cameByHttps(request), maxAge: 0 });
}

/**
 * TLS ends at the proxy in front of us, which says so in a header. Whoever forges it can only keep the cookie from
 * being sent back over plain HTTP, and the request was his own.
 */
function cameByHttps({ headers, protocol }: FastifyRequest): boolean {
  const forwarded = headers['x-forwarded-proto'];
  const last = (Array.isArray(forwarded) ? forwarded.at(-1) : forwarded)?.split(',').at(-1);
  return protocol === 'https' || last?.trim().toLowerCase() === 'https';
}
