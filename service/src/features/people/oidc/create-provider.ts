import type { Clock } from '@mailproof/engine';
import * as oauth from 'oauth4webapi';
import {
  createGuardedFetch,
  FetchError,
  type FetchFailure,
  type FetchInit,
} from '../../../core/http/outgoing/guarded-fetch.ts';
import type { OutgoingParts } from '../../../core/http/outgoing/open-connection.ts';
import type { ProviderVisit } from './provider-visit.ts';

/**
 * The OpenID provider that people sign in with: the authorization code flow with PKCE (OpenID Connect Core 1.0 section
 * 3.1, RFC 7636, RFC 9207). What the provider says is believed only if the state, the issuer, the audience, the nonce,
 * the times and the signature of its ID token are right; the protocol is spoken by `oauth4webapi`.
 */
export type OidcProvider = {
  issuer: string;
  /** What people know it by. */
  name: string;
  /** Where the browser has to go. */
  authorizationUrl(visit: ProviderVisit): Promise<AuthorizationUrlAnswer>;
  /** What the browser came back with, turned into who it is. */
  identify(parameters: URLSearchParams, visit: ProviderVisit): Promise<IdentifyAnswer>;
};

/** Who has signed in. The issuer and the subject together are one person for ever; an address may change hands. */
export type Identity = {
  issuer: string;
  subject: string;
  /** Only where the provider says that it belongs to the person. */
  email?: string;
  name?: string;
};

export type ProviderProblem = {
  kind:
    | 'provider_unavailable'
    /** It said no: the person cancelled, or may not use this client. */
    | 'provider_refused'
    /** The code was used before, is too old, or was not given to us. */
    | 'code_refused'
    /** What it said cannot be believed. */
    | 'provider_not_trusted';
  /** For the log of the operator: neither a token nor a code. */
  detail: string;
};

type AuthorizationUrlAnswer = { kind: 'ready'; url: string } | ProviderProblem;
export type IdentifyAnswer = { kind: 'identified'; identity: Identity } | ProviderProblem;

type ProviderSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  /** Where the provider sends the browser back to. */
  redirectUri: string;
};

export const oidcLimitTable = {
  visitMs: { value: 10_000, meaning: 'all that the provider is asked for during one step of a sign-in' },
  answerBytes: { value: 256_000, meaning: 'one answer of the provider' },
  asksAtOnce: { value: 32, meaning: 'sign-ins that wait for the provider at once in one process' },
  metadataMs: { value: 600_000, meaning: 'time for which the description of the provider is kept' },
} as const;

export function createProvider(
  settings: ProviderSettings,
  parts: OutgoingParts & { clock: Clock; signal: AbortSignal },
): OidcProvider {
  const client: oauth.Client = { client_id: settings.clientId };
  const issuer = new URL(settings.issuer);
  let known: { server: oauth.AuthorizationServer; until: number } | undefined;
  let asking = 0;

  async function findServer(options: RequestOptions): Promise<oauth.AuthorizationServer> {
    if (known !== undefined && known.until > parts.clock.now()) return known.server;
    const response = await oauth.discoveryRequest(issuer, options);
    const server = await oauth.processDiscoveryResponse(issuer, response);
    known = { server, until: parts.clock.now() + oidcLimitTable.metadataMs.value };
    return server;
  }

  /** One deadline for all that a step asks for. */
  async function ask<Answer>(step: (options: RequestOptions) => Promise<Answer>) {
    if (asking >= oidcLimitTable.asksAtOnce.value)
      return { kind: 'provider_unavailable', detail: 'too many sign-ins wait for it' } as const;
    asking += 1;
    try {
      return await step(requestOptions(issuer, parts));
    } catch (error) {
      return problemOf(error);
    } finally {
      asking -= 1;
    }
  }

  return {
    issuer: settings.issuer,
    name: settings.name,
    authorizationUrl: (visit) =>
      ask(async (options) => {
        const server = await findServer(options);
        return { kind: 'ready', url: await urlOf(server, settings, visit) };
      }),
    identify: (parameters, visit) =>
      ask(async (options) => {
        const server = await findServer(options);
        const identity = await exchangeCode({ parameters, visit }, { server, client, settings, options });
        return { kind: 'identified', identity };
      }),
  };
}

type RequestOptions = ReturnType<typeof requestOptions>;

function requestOptions(issuer: URL, parts: OutgoingParts & { signal: AbortSignal }) {
  const fetch = createGuardedFetch(parts, {
    deadline: parts.clock.now() + oidcLimitTable.visitMs.value,
    signal: parts.signal,
    bodyBytes: oidcLimitTable.answerBytes.value,
  });
  return {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the setting takes plain `http` only on this very machine
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
    [oauth.customFetch]: (url: string, { method, headers, body }: FetchInit) =>
      fetch(url, { method, headers, body }),
  };
}

async function urlOf(
  server: oauth.AuthorizationServer,
  { clientId, redirectUri }: ProviderSettings,
  visit: ProviderVisit,
): Promise<string> {
  if (server.authorization_endpoint === undefined)
    throw new oauth.OperationProcessingError('the provider names no authorization endpoint');
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email profile',
    state: visit.state,
    nonce: visit.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(visit.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

type Exchange = {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  settings: ProviderSettings;
  options: RequestOptions;
};

async function exchangeCode(
  { parameters, visit }: { parameters: URLSearchParams; visit: ProviderVisit },
  { server, client, settings, options }: Exchange,
): Promise<Identity> {
  const accepted = oauth.validateAuthResponse(server, client, parameters, visit.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authenticationFor(server, settings.clientSecret),
    accepted,
    settings.redirectUri,
    visit.verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: visit.nonce,
    requireIdToken: true,
  });
  // The connection to the provider vouches for the token already (section 3.1.3.7); two proofs are better than one.
  await oauth.validateApplicationLevelSignature(server, response, options);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new oauth.OperationProcessingError('the provider sent no ID token');
  const told = claims['email'] === undefined ? await askUserInfo() : claims;
  return identityOf({ ...claims, ...told, iss: server.issuer, sub: claims.sub });

  /** Most providers tell the address there only (section 5.4). */
  async function askUserInfo(): Promise<Record<string, unknown>> {
    if (server.userinfo_endpoint === undefined || claims === undefined) return {};
    const answer = await oauth.userInfoRequest(server, client, tokens.access_token, options);
    return oauth.processUserInfoResponse(server, client, claims.sub, answer);
  }
}

/** RFC 8414 section 2: a provider that names no methods takes `client_secret_basic`. */
function authenticationFor(server: oauth.AuthorizationServer, secret: string): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

const longestText = 254;

function identityOf(claims: Record<string, unknown> & { iss: string; sub: string }): Identity {
  const { iss: issuer, sub: subject, email, email_verified: verified, name } = claims;
  const isOwn = isText(email) && verified === true;
  return { issuer, subject, ...(isOwn ? { email } : {}), ...(isText(name) ? { name } : {}) };
}

/** What can be stored and shown in one line. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestText && !/\p{C}/u.test(value);
}

function problemOf(error: unknown): ProviderProblem {
  const failure = fetchFailureOf(error);
  if (failure !== undefined) return { kind: 'provider_unavailable', detail: failure };
  if (error instanceof oauth.AuthorizationResponseError)
    return { kind: 'provider_refused', detail: `error=${oneLine(error.error)}` };
  if (error instanceof oauth.ResponseBodyError) {
    const kind = error.error === 'invalid_grant' ? 'code_refused' : 'provider_not_trusted';
    return { kind, detail: `error=${oneLine(error.error)}` };
  }
  const isOurs =
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof oauth.WWWAuthenticateChallengeError;
  // What the library throws otherwise, it throws for what the provider sent (`TypeError` for a URL, say).
  return { kind: 'provider_not_trusted', detail: isOurs ? oneLine(error.message) : oneLine(String(error)) };
}

/** The library may have wrapped it. */
function fetchFailureOf(error: unknown): FetchFailure | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof FetchError) return cause.why;
  return undefined;
}

function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
