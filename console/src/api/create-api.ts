import {
  createAdminClient,
  createClient,
  type AdminClient,
  type Client,
  type ProviderRedirect,
  type ProviderSignIn,
  type SessionState,
  type SignIn,
  type SignInOptions,
} from '@mailproof/client';
import { call, type Call } from './call.ts';
import type { Connection } from './connection.ts';
import { createListsApi, type ListsApi } from './lists-api.ts';

/** Everything the page asks of the service. */
export type Api = {
  /** Verifications, tasks and the account. */
  client: Client;
  lists: ListsApi;
  /** The operator's calls. */
  admin: AdminClient;
  /** Signing in and out, which only a browser does. */
  session: {
    find(): Promise<SessionState>;
    open(secret: SignIn): Promise<SessionState>;
    close(): Promise<void>;
    /** The ways to sign in that there are. */
    options(): Promise<SignInOptions>;
    /** Where the browser has to go to sign in with the provider. */
    begin(wanted: ProviderSignIn): Promise<ProviderRedirect>;
  };
};

/** Waits are shorter than a program's: somebody is looking at the page. */
const limits = { attempts: 6, retryLongestMs: 5_000, retryAfterLongestMs: 15_000, pollLongestMs: 2_000 };

/** Stands where a program has its key. It never leaves: the connection takes the header out again. */
const placeholder = 'session';

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** `baseUrl`: where the service is, without a slash at its end. */
export function createApi(baseUrl: string, { fetch }: Connection): Api {
  // The answers' shapes are the contract's; the service's own tests hold them to its schemas.
  const ask = async <Body>(wanted: Call) => (await call(wanted, { baseUrl, fetch, wait })) as Body;
  return {
    client: createClient({ baseUrl, apiKey: placeholder, fetch, limits }),
    lists: createListsApi(ask),
    admin: createAdminClient({ baseUrl, token: placeholder, fetch, limits }),
    session: {
      find: () => ask({ method: 'GET', path: '/session' }),
      open: (body) => ask({ method: 'POST', path: '/session', body }),
      close: () => ask({ method: 'DELETE', path: '/session' }),
      options: () => ask({ method: 'GET', path: '/session/options' }),
      begin: (body) => ask({ method: 'POST', path: '/session/provider', body }),
    },
  };
}
