import type { FastifyRequest } from 'fastify';
import { sessionLifeMs } from './create-sessions.ts';

/**
 * The cookie that stands for a key or token in a browser: out of reach of scripts, and sent to this site only. Its value
 * is made of letters that need no quoting (RFC 6265 section 4.1.1), so it is read and written as it is.
 */
export const sessionCookieName = 'mailproof_session';

export function readSessionCookie(header: string | undefined): string | undefined {
  return readCookie(header, sessionCookieName);
}

/** The first cookie of that name, which is the one of the longest path (RFC 6265 section 5.4). */
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

/** Sent back to this service alone, where others share its host. */
function writeCookie(value: string, maxAgeSeconds: number, { request, basePath }: CookieParts): string {
  const path = basePath === '' ? '/' : basePath;
  const secure = cameByHttps(request) ? '; Secure' : '';
  return `${sessionCookieName}=${value}; Max-Age=${maxAgeSeconds}; Path=${path}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * TLS ends at the proxy in front of us, which says so in a header. A client that forges it only keeps its own cookie
 * from being sent back over plain HTTP.
 */
function cameByHttps({ headers, protocol }: FastifyRequest): boolean {
  const forwarded = headers['x-forwarded-proto'];
  const last = (Array.isArray(forwarded) ? forwarded.at(-1) : forwarded)?.split(',').at(-1);
  return protocol === 'https' || last?.trim().toLowerCase() === 'https';
}
