import type { FastifyRequest } from 'fastify';
import { sessionLifeMs } from './create-sessions.ts';

/**
 * The cookie that stands for a key or token in a browser. Scripts cannot read it, and only this site receives it. Its
 * value needs no quoting (RFC 6265 section 4.1.1).
 */
export const sessionCookieName = 'mailproof_session';

export function readSessionCookie(header: string | undefined): string | undefined {
  return readCookie(header, sessionCookieName);
}

/** Returns the first cookie of that name, which has the longest path (RFC 6265 section 5.4). */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [before = '', value] = pair.split('=', 2);
    if (before.trim() === name) return value?.trim();
  }
  return undefined;
}

type CookieParts = { request: FastifyRequest; basePath: string };

export function sessionCookie(id: string, parts: CookieParts): string {
  return writeCookie(id, sessionLifeMs / 1_000, parts);
}

export function clearedSessionCookie(parts: CookieParts): string {
  return writeCookie('', 0, parts);
}

/** Limits the cookie to our base path, since others may share the host. */
function writeCookie(value: string, maxAgeSeconds: number, { request, basePath }: CookieParts): string {
  const path = basePath === '' ? '/' : basePath;
  const secure = cameByHttps(request) ? '; Secure' : '';
  return `${sessionCookieName}=${value}; Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Tells whether the request came by HTTPS. A proxy that ends TLS says so in a header. A client that forges it only
 * keeps its own cookie from plain HTTP.
 */
function cameByHttps({ headers, protocol }: FastifyRequest): boolean {
  const forwarded = headers['x-forwarded-proto'];
  const last = (Array.isArray(forwarded) ? forwarded.at(-1) : forwarded)?.split(',').at(-1);
  return protocol === 'https' || last?.trim().toLowerCase() === 'https';
}
