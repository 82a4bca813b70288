import type { SessionState } from '@mailproof/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readApiKey } from '../../../core/keys/api-key.ts';
import { mayUse } from '../../../core/keys/authenticate.ts';
import { allowsClient } from '../../../core/keys/key-limits.ts';
import type { Session, Visitor } from '../sessions/session.ts';
import type { SignInCredential } from '../../../core/http/pipeline/slow-sign-ins.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { findSession, isCrossSite } from '../sessions/find-session.ts';
import type { HttpParts } from '../../../core/http/routes/http-parts.ts';
import { sessionPath } from './people-paths.ts';
import { presentAccount } from '../../account/routes/present-account.ts';
import { presentSessionPerson } from './present-people.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { contextOf } from '../../../core/http/pipeline/request-context.ts';
import { errorResponses } from '../../../core/http/schemas/errors.ts';
import { requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import { byAnybody, bySession } from '../../../core/http/schemas/security.ts';
import { sessionSchema, signInSchema } from './session-schemas.ts';
import { clearedSessionCookie, readSessionCookie, sessionCookie } from '../sessions/session-cookie.ts';
import type { PeopleHttp } from './people-parts.ts';

/**
 * Signing in and out for browsers. A key, the admin token or the provider's confirmation (see provider-sign-in.ts) is
 * exchanged for a cookie that no script can read. So a page need not keep the key.
 */
const described = { tags: ['Session'] };
const signedIn = { ...sessionSchema, headers: requestIdHeader };
const errors = (...reasons: Parameters<typeof errorResponses>[0]) =>
  errorResponses([...reasons, 'method_not_allowed', 'verification_failed', 'service_unavailable'], {
    credits: false,
  });

const postSchema = {
  ...described,
  operationId: 'signIn',
  security: byAnybody,
  summary: 'Sign in',
  description:
    'Sets the cookie `mailproof_session` (HttpOnly, SameSite=Strict, 12 hours), which stands for the key and has its limits. A key with scopes needs `account:read`. After five wrong attempts in a row, each further one has to wait; a right one ends only the row of its own key or token.',
  body: signInSchema,
  response: {
    200: signedIn,
    ...errors(
      'invalid_request',
      'invalid_key',
      'insufficient_scope',
      'key_sign_in_off',
      'cross_site_request',
      'too_many_attempts',
    ),
  },
};

const getSchema = {
  ...described,
  operationId: 'readSession',
  security: bySession,
  summary: 'The person or key that is signed in',
  description: 'By the cookie, with the CSRF token that changes need.',
  response: { 200: signedIn, ...errors('no_session', 'cross_site_request') },
};

const deleteSchema = {
  ...described,
  operationId: 'signOut',
  security: bySession,
  summary: 'Sign out',
  description: 'Closes the session and clears the cookie; without a session nothing happens.',
  headers: csrfHeaders,
  response: {
    204: { type: 'null', description: 'Signed out', headers: requestIdHeader },
    ...errors('invalid_request', 'csrf_token_mismatch', 'cross_site_request'),
  },
};

export function addSession(
  server: ApiServer,
  { parts, admitRequest }: Pick<RouteParts<PeopleHttp>, 'parts' | 'admitRequest'>,
): void {
  const { basePath } = parts;
  const onRequest = [admitRequest('account'), keepNowhere];
  server.route({
    method: 'POST',
    url: sessionPath,
    schema: postSchema,
    onRequest,
    handler: async (request, reply) => {
      const { key, admin_token: token } = request.body;
      if ((key === undefined) === (token === undefined)) return refuse(reply, 'invalid_request');
      if (isCrossSite(request)) return refuse(reply, 'cross_site_request');
      if (parts.keySignIn === 'off') return refuse(reply, 'key_sign_in_off');
      const attempt = parts.signIns.begin(contextOf(request).client, credentialOf({ key, token }));
      if (attempt.kind === 'wait') return refuse(reply, 'too_many_attempts', attempt.seconds);
      const visitor = await recognise({ key, token }, parts);
      const limits = visitor?.kind === 'account' ? visitor.caller.limits : undefined;
      const isElsewhere = !allowsClient(limits, () => parts.clientAddress(request));
      if (visitor === undefined || isElsewhere) return refuse(reply, 'invalid_key');
      attempt.succeeded();
      // After signing in, the account is shown.
      if (visitor.kind === 'account' && !mayUse(visitor.caller, 'account:read'))
        return refuse(reply, 'insufficient_scope');

      await closeEarlier(request, parts);
      const { id, session } = await parts.sessions.open(visitor);
      return reply
        .code(200)
        .header('set-cookie', sessionCookie(id, { request, basePath }))
        .send(await presentSession(session, parts));
    },
  });
  server.route({
    method: 'GET',
    url: sessionPath,
    schema: getSchema,
    onRequest,
    handler: async (request, reply) => {
      const found = await findSession(request, parts);
      if (found.kind === 'refused') return refuse(reply, found.reason);
      if (found.kind === 'none') return refuse(reply, 'no_session');
      return reply.code(200).send(await presentSession(found.session, parts));
    },
  });
  server.route({
    method: 'DELETE',
    url: sessionPath,
    schema: deleteSchema,
    onRequest,
    handler: async (request, reply) => {
      const found = await findSession(request, parts);
      if (found.kind === 'refused') return refuse(reply, found.reason);
      if (found.kind === 'found') await parts.sessions.close(found.id);
      return reply.code(204).header('set-cookie', clearedSessionCookie({ request, basePath })).send();
    },
  });
}

export function keepNowhere(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store').header('vary', 'Cookie');
  return Promise.resolve();
}

type Presented = { key: string | undefined; token: string | undefined };

/** Identifies a credential: attempts with the same key count together, with any secret. */
function credentialOf({ key, token }: Presented): SignInCredential {
  if (token !== undefined) return 'token';
  const id = readApiKey(key ?? '')?.id;
  return id === undefined ? 'key' : `key ${id}`;
}

async function recognise(
  { key, token }: Presented,
  { authenticate, adminToken }: Pick<HttpParts, 'authenticate' | 'adminToken'>,
): Promise<Visitor | undefined> {
  if (token !== undefined) return adminToken.matches(token) ? { kind: 'operator' } : undefined;
  const caller = await authenticate(`Bearer ${key ?? ''}`);
  return caller && { kind: 'account', caller };
}

/** Closes the previous session, which signing in again replaces. */
export async function closeEarlier(
  request: FastifyRequest,
  { sessions }: Pick<PeopleHttp, 'sessions'>,
): Promise<void> {
  const earlier = readSessionCookie(request.headers.cookie);
  if (earlier !== undefined) await sessions.close(earlier);
}

async function presentSession(
  session: Session,
  { account, people }: Pick<PeopleHttp, 'account' | 'people'>,
): Promise<SessionState> {
  const state = { kind: session.kind, csrf_token: session.csrfToken };
  if (session.kind === 'operator') return state;
  const { person } = session.caller;
  const described = person && (await people.describe(person.personId));
  return {
    ...state,
    account: presentAccount(await account.read(session.caller)),
    ...(described === undefined ? {} : { person: presentSessionPerson(described) }),
  };
}
