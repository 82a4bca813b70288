import { createClient, type Client } from '@mailproof/client';
import type {
  Account,
  ApiKey,
  KeyMode,
  LedgerEntry,
  NewApiKey,
  Paged,
  Session,
  TaskSummary,
  UsageDay,
} from './account-types.ts';
import { call, type Call } from './call.ts';
import type { Connection } from './connection.ts';

/** Everything the page asks of the service. */
export type Api = {
  /** Verifications and tasks. */
  client: Client;
  session: {
    find(): Promise<Session>;
    open(secret: { key: string } | { admin_token: string }): Promise<Session>;
    close(): Promise<void>;
  };
  account: {
    get(): Promise<Account>;
    ledger(page: Paged): Promise<{ entries: LedgerEntry[]; next: string | null }>;
    usage(days: number): Promise<{ days: UsageDay[] }>;
    tasks(page: Paged): Promise<{ tasks: TaskSummary[]; next: string | null }>;
    keys(): Promise<{ keys: ApiKey[] }>;
    createKey(wish: { name?: string; mode: KeyMode }): Promise<NewApiKey>;
    renameKey(keyId: string, name: string): Promise<void>;
    deleteKey(keyId: string): Promise<void>;
  };
  /** A call that is not named here, with the same manners. */
  ask: <Body>(wanted: Call) => Promise<Body>;
};

/** Waits are shorter than a program's: somebody is looking at the page. */
const limits = { attempts: 6, retryLongestMs: 5_000, retryAfterLongestMs: 15_000, pollLongestMs: 2_000 };
const account = '/api/v1/account';

export function createApi(origin: string, connection: Connection): Api {
  const { fetch } = connection;
  // The answers' shapes are the contract's; the service's own tests hold them to its schemas.
  const ask = async <Body>(wanted: Call): Promise<Body> => (await call(wanted, { origin, fetch })) as Body;
  return {
    ask,
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
  };
}

function keyPath(id: string): string {
  return `${account}/keys/${encodeURIComponent(id)}`;
}

/** `?limit=50&before=…`, without what is not set. */
export function query(fields: Record<string, string | number | undefined>): string {
  const set = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`;
}
