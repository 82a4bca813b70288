import type { FastifyRequest, onSendHookHandler } from 'fastify';
import { beginVisit, visitLifeMs, type ProviderVisit } from '../oidc/provider-visit.ts';
import type { RecogniseAnswer } from '../recognise-identity.ts';
import { isCrossSite } from '../sessions/find-session.ts';
import { callbackPath, providerPath, signInOptionsPath } from './people-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { contextOf } from '../../../core/http/pipeline/request-context.ts';
import { readCookie, sessionCookie } from '../sessions/session-cookie.ts';
import { errorResponses, statusOf } from '../../../core/http/schemas/errors.ts';
import { requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { byAnybody } from '../../../core/http/schemas/security.ts';
import { providerRedirectSchema, providerSignInSchema, signInOptionsSchema } from './session-schemas.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { closeEarlier, keepNowhere } from './session.ts';
import { beginRefusalPage, sendRefusalPage, type SignInRefusal } from './sign-in-refusal.ts';
import type { OidcSignIn, PeopleHttp } from './people-parts.ts';

/**
 * Signing in with the OpenID provider. The page asks where to send the browser; the provider sends it back to
 * `/session/callback`, and that ends in a session or in a page that says why not. What has to be the same at both ends
 * is in a cookie of the browser (oidc/provider-visit.ts). Afterwards the browser goes to the console and nowhere else.
 */
const described = { tags: ['Session'], security: byAnybody };
const errors = (...reasons: Parameters<typeof errorResponses>[0]) =>
  errorResponses([...reasons, 'method_not_allowed', 'verification_failed', 'service_unavailable'], {
    credits: false,
  });

const optionsRoute = {
  ...described,
  operationId: 'readSignInOptions',
  summary: 'The ways to sign in',
  description: 'Which of them the operator has left open: a key or token, an OpenID provider, or both.',
  response: { 200: { ...signInOptionsSchema, headers: requestIdHeader }, ...errors() },
};

const beginRoute = {
  ...described,
  operationId: 'beginProviderSignIn',
  summary: 'Begin to sign in with the OpenID provider',
  description:
    'Answers with where the browser has to go, and sets a cookie that it has to come back with within ten minutes. Only where a provider is set.',
  body: providerSignInSchema,
  response: {
    200: { ...providerRedirectSchema, headers: requestIdHeader },
    ...errors('invalid_request', 'cross_site_request', 'provider_unavailable'),
  },
};

export function addProviderSignIn(
  server: ApiServer,
  { parts, admitRequest }: Pick<RouteParts<PeopleHttp>, 'parts' | 'admitRequest'>,
): void {
  const { oidc, keySignIn = 'on', basePath } = parts;
  const onRequest = [keepNowhere, admitRequest('account')];
  server.route({
    method: 'GET',
    url: signInOptionsPath,
    schema: optionsRoute,
    onRequest,
    handler: async (_request, reply) => {
      const provider = oidc === undefined ? null : { name: oidc.provider.name };
      return reply.code(200).send({ key: keySignIn === 'on', provider });
    },
  });
  server.route({
    method: 'POST',
    url: providerPath,
    schema: beginRoute,
    onRequest,
    handler: async (request, reply) => {
      if (oidc === undefined) return refuse(reply, 'not_found');
      if (isCrossSite(request)) return refuse(reply, 'cross_site_request');
      const { invitation, account_id: accountId } = request.body;
      const visit = beginVisit(oidc.now(), {
        ...(invitation === undefined ? {} : { invitation }),
        ...(accountId === undefined ? {} : { accountId }),
      });
      const answer = await oidc.provider.authorizationUrl(visit);
      if (answer.kind !== 'ready') {
        parts.logger.warn({ detail: answer.detail }, `the OpenID provider: ${answer.kind}`);
        return refuse(reply, 'provider_unavailable');
      }
      return reply
        .code(200)
        .header('set-cookie', visitCookie(oidc, oidc.seal.seal(visit), visitLifeMs / 1_000))
        .send({ url: answer.url });
    },
  });
  server.route({
    method: 'GET',
    url: callbackPath,
    schema: { hide: true },
    onRequest,
    onSend: showBusyPage(basePath),
    handler: async (request, reply) => {
      if (oidc === undefined) return refuse(reply, 'not_found');
      // Whatever comes of it, the visit is over.
      const over = visitCookie(oidc, '', 0);
      const attempt = parts.signIns.begin(contextOf(request).client, 'provider');
      if (attempt.kind === 'wait')
        return sendRefusalPage(reply.header('retry-after', String(attempt.seconds)), {
          refusal: 'too_many_attempts',
          basePath,
        });
      const answer = await finish(request, oidc, parts);
      if (answer.kind !== 'account' && answer.kind !== 'operator')
        return sendRefusalPage(reply.header('set-cookie', over), { refusal: answer.kind, basePath });
      attempt.succeeded();
      await closeEarlier(request, parts);
      const { id } = await parts.sessions.open(answer);
      return reply
        .code(303)
        .header('set-cookie', [over, sessionCookie(id, { request, basePath })])
        .header('location', `${basePath}${answer.kind === 'operator' ? '/operator' : '/'}`)
        .send();
    },
  });
}

/** Whoever turns a browser away because the service is busy does so as for a program. */
function showBusyPage(basePath: string): onSendHookHandler {
  // eslint-disable-next-line max-params -- the framework's own signature
  return (_request, reply, payload, done) => {
    const isBusy = reply.statusCode === statusOf.service_unavailable;
    done(null, isBusy ? beginRefusalPage(reply, { refusal: 'busy', basePath }) : payload);
  };
}

type Finished = Extract<RecogniseAnswer, { kind: 'account' | 'operator' }> | { kind: SignInRefusal };

async function finish(
  request: FastifyRequest,
  oidc: OidcSignIn,
  { people, logger }: RouteParts<PeopleHttp>['parts'],
): Promise<Finished> {
  const visit = findVisit(request, oidc);
  if (visit === undefined) return { kind: 'no_visit' };
  const parameters = new URL(request.url, oidc.publicUrl).searchParams;
  const answer = await oidc.provider.identify(parameters, visit);
  if (answer.kind !== 'identified') {
    contextOf(request).fault = answer.kind;
    logger.warn({ detail: answer.detail, request_id: request.id }, `the OpenID provider: ${answer.kind}`);
    return { kind: answer.kind };
  }
  const recognised = await people.recognise(answer.identity, visit);
  if (recognised.kind !== 'account' && recognised.kind !== 'operator')
    contextOf(request).fault = recognised.kind;
  return recognised;
}

function findVisit({ headers }: FastifyRequest, oidc: OidcSignIn): ProviderVisit | undefined {
  const sealed = readCookie(headers.cookie, cookieName(oidc));
  return sealed === undefined ? undefined : oidc.seal.open(sealed, oidc.now());
}

/** With `__Host-` no other name of the same domain can have set it (RFC 6265bis section 4.1.3.2). */
function cookieName({ publicUrl }: OidcSignIn): string {
  return publicUrl.startsWith('https:') ? '__Host-mailproof_sign_in' : 'mailproof_sign_in';
}

/** `Lax`, because it is the provider's page that leads the browser back. */
function visitCookie(oidc: OidcSignIn, value: string, maxAgeSeconds: number): string {
  const secure = oidc.publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(oidc)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}
