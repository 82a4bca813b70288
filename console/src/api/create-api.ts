import {
  createClient,
  type Account,
  type Client,
  type CreatedKey,
  type KeyList,
  type KeyRequest,
  type LedgerPage,
  type SessionState,
  type SignIn,
  type TaskPage,
  type Usage,
} from '@mailproof/client';
import { createAdminApi, type AdminApi } from './admin-api.ts';
import { call, type Call } from './call.ts';
import type { Connection } from './connection.ts';
import { query } from './query.ts';

/** Which page of a list: the next one `before` what the last one said. */
export type Paging = { limit?: number; before?: string | undefined };

/** Everything the page asks of the service. */
export type Api = {
  /** Verifications and tasks. */
  client: Client;
  session: {
    find(): Promise<SessionState>;
    open(secret: SignIn): Promise<SessionState>;
    close(): Promise<void>;
  };
  account: {
    get(): Promise<Account>;
    ledger(page: Paging): Promise<LedgerPage>;
    usage(days: number): Promise<Usage>;
    tasks(page: Paging): Promise<TaskPage>;
    keys(): Promise<KeyList>;
    createKey(wish: KeyRequest): Promise<CreatedKey>;
    renameKey(keyId: string, name: string): Promise<void>;
    deleteKey(keyId: string): Promise<void>;
  };
  admin: AdminApi;
};

/** One call, its answer taken for what the contract says it is. */
export type Ask = <Body>(wanted: Call) => Promise<Body>;

/** Waits are shorter than a program's: somebody is looking at the page. */
const limits = { attempts: 6, retryLongestMs: 5_000, retryAfterLongestMs: 15_000, pollLongestMs: 2_000 };
const account = '/api/v1/account';

export function createApi(origin: string, connection: Connection): Api {
  const { fetch } = connection;
  // The answers' shapes are the contract's; the service's own tests hold them to its schemas.
  const ask: Ask = async <Body>(wanted: Call) => (await call(wanted, { origin, fetch })) as Body;
  return {
    // The placeholder never leaves: the connection takes the header out again.
    client: createClient({ baseUrl: origin, apiKey: 'session', fetch, limits }),
    session: {
      find: () => ask({ method: 'GET', path: '/session' }),
      open: (body) => ask({ method: 'POST', path: '/session', body }),
      close: () => ask({ method: 'DELETE', path: '/session' }),
    },
    account: {
      get: () => ask({ method: 'GET', path: account }),
      ledger: (page) => ask({ method: 'GET', path: `${account}/ledger${query(page)}` }),
      usage: (days) => ask({ method: 'GET', path: `${account}/usage${query({ days })}` }),
      tasks: (page) => ask({ method: 'GET', path: `${account}/tasks${query(page)}` }),
      keys: () => ask({ method: 'GET', path: `${account}/keys` }),
      createKey: (body) => ask({ method: 'POST', path: `${account}/keys`, body }),
      renameKey: (id, name) => ask({ method: 'PATCH', path: keyPath(id), body: { name } }),
      deleteKey: (id) => ask({ method: 'DELETE', path: keyPath(id) }),
    },
    admin: createAdminApi(ask),
  };
}

function keyPath(id: string): string {
  return `${account}/keys/${encodeURIComponent(id)}`;
}
