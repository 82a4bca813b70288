import {
  type AdminClient,
  type Client,
  createAdminClient,
  createClient,
  type ProviderRedirect,
  type ProviderSignIn,
  type SessionState,
  type SignIn,
  type SignInOptions,
} from '@mailproof/client';
import { type ReadonlySignal, signal } from '@preact/signals';
import { call, type Call } from './call.ts';

/** All calls of the page to the service. */
export type Api = {
  /** Verifications, tasks, lists, webhooks and the account. */
  client: Client;
  /** The operator's calls. */
  admin: AdminClient;
  /** Makes a call that only the page needs, so that the client lacks it. */
  ask<Body>(wanted: Call): Promise<Body>;
  /** Signing in and out, which only a browser does. */
  session: {
    find(): Promise<SessionState>;
    open(secret: SignIn): Promise<SessionState>;
    close(): Promise<void>;
    /** Returns the ways to sign in. */
    options(): Promise<SignInOptions>;
    /** Returns the provider's URL, at which the person signs in. */
    begin(wanted: ProviderSignIn): Promise<ProviderRedirect>;
  };
};

/** Waits are shorter than in a program, because a person is looking at the page. */
const limits = { attempts: 6, retryLongestMs: 5_000, retryAfterLongestMs: 15_000, pollLongestMs: 2_000 };

/** Stands in for the key of a program. It is never sent: the connection removes the header. */
const placeholder = 'session';

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** `baseUrl` is the URL of the service, without a slash at its end. */
export function createApi(baseUrl: string, { fetch }: Connection): Api {
  // The contract fixes the shape of answers, and the service's tests hold them to its schemas.
  const ask = async <Body>(wanted: Call) => (await call(wanted, { baseUrl, fetch, wait })) as Body;
  return {
    client: createClient({ baseUrl, apiKey: placeholder, fetch, limits }),
    admin: createAdminClient({ baseUrl, token: placeholder, fetch, limits }),
    ask,
    session: {
      find: () => ask({ method: 'GET', path: '/session' }),
      open: (body) => ask({ method: 'POST', path: '/session', body }),
      close: () => ask({ method: 'DELETE', path: '/session' }),
      options: () => ask({ method: 'GET', path: '/session/options' }),
      begin: (body) => ask({ method: 'POST', path: '/session/provider', body }),
    },
  };
}

/** Outcome of the last exchange: answered, refused for now (503), or no answer. */
type ConnectionState = 'fine' | 'busy' | 'lost';

export type Connection = {
  state: ReadonlySignal<ConnectionState>;
  /** Calls `fetch` with the session's cookie and token in place of a key. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
};

type ConnectionParts = {
  fetch: typeof fetch;
  csrfToken: () => string | undefined;
  /** The service no longer knows the session. */
  onSessionEnded: () => void;
};

/** Creates the only way to the service. Every request passes here, so the state of the connection is known. */
export function createConnection({ fetch, csrfToken, onSessionEnded }: ConnectionParts): Connection {
  const state = signal<ConnectionState>('fine');
  return {
    state,
    async fetch(url, init) {
      try {
        const response = await fetch(url, { ...init, headers: headersFor(init, csrfToken()) });
        state.value = response.status === 503 ? 'busy' : 'fine';
        if (response.status === 401 && !url.endsWith('/session')) onSessionEnded();
        return response;
      } catch (error) {
        // The page itself aborts requests, so an abort says nothing about the connection.
        if (init.signal?.aborted !== true) state.value = 'lost';
        throw error;
      }
    },
  };
}

/** Removes the client's placeholder: the service would take it for a key, and ignore the session. */
function headersFor(init: RequestInit, token: string | undefined): Headers {
  const headers = new Headers(init.headers);
  headers.delete('authorization');
  if (token !== undefined && init.method !== 'GET') headers.set('x-csrf-token', token);
  return headers;
}
