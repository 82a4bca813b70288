import type {
  AdminAccount,
  AdminAccountPage,
  AdminAccountRequest,
  AdminProberList,
  AdminRequestTrace,
  AuditLogPage,
  EndedRests,
  ServiceHealth,
} from './console-types.ts';
import type {
  AccountKey,
  CreatedKey,
  KeyChange,
  KeyList,
  KeyRequest,
  LedgerPage,
  TaskPage,
} from './account-types.ts';
import {
  connect,
  createAsk,
  holdsList,
  queryOf,
  request,
  type CallOptions,
  type Connection,
  type PageOptions,
} from './request.ts';
import { systemParts, type ClientLimits, type ClientParts, type Fetch } from './exchange.ts';
import { createAdminPeopleCalls, type AdminPeopleCalls } from './account-calls.ts';

export type AdminClientOptions = {
  /** The URL of the service: `https://mail.example`, with or without a path. */
  baseUrl: string;
  /** The operator's, `MAILPROOF_ADMIN_TOKEN` of the service. */
  token: string;
  /** The global one unless given. */
  fetch?: Fetch;
  /** Waits and tries that shall differ from the usual ones. */
  limits?: Partial<ClientLimits>;
};

/** The operator's calls, for scripts. Every change is written down in the service's audit log. */
export type AdminClient = {
  accounts: AdminAccountCalls;
  keys: AdminKeyCalls;
  people: AdminPeopleCalls;
  health(options?: CallOptions & { hours?: number | undefined }): Promise<ServiceHealth>;
  /** Ends the rest of a mail host or provider, by the name that `resting` of the health gives it. */
  endRest(name: string, options?: CallOptions): Promise<EndedRests>;
  /** By the `X-Request-Id` of an answer. */
  findRequest(requestId: string, options?: CallOptions): Promise<AdminRequestTrace>;
  auditLog(options?: PageOptions): Promise<AuditLogPage>;
  /** The probers outside the installation, and the egress addresses inside. */
  probers(options?: CallOptions): Promise<AdminProberList>;
};

export type AdminAccountCalls = {
  /** The newest first; `search` is an id or a part of the name. */
  list(options?: PageOptions & { search?: string | undefined }): Promise<AdminAccountPage>;
  create(account: AdminAccountRequest, options?: CallOptions): Promise<AdminAccount>;
  get(accountId: string, options?: CallOptions): Promise<AdminAccount>;
  setPlan(accountId: string, plan: 'paid' | 'none', options?: CallOptions): Promise<AdminAccount>;
  /** Requests a minute; null: as many as the setting says. */
  setRate(accountId: string, rate: number | null, options?: CallOptions): Promise<AdminAccount>;
  /** With an idempotency key it is repeated where the answer was lost, and given once. */
  grant(accountId: string, credits: number, options?: GrantOptions): Promise<AdminAccount>;
  /** Lets an account that the audit froze reserve again; the reason goes to the audit log. */
  unfreeze(accountId: string, reason: string, options?: CallOptions): Promise<AdminAccount>;
  ledger(accountId: string, options?: PageOptions): Promise<LedgerPage>;
  tasks(accountId: string, options?: PageOptions): Promise<TaskPage>;
};

export type AdminKeyCalls = {
  list(accountId: string, options?: CallOptions): Promise<KeyList>;
  /** The key is in the answer and nowhere else. */
  create(accountId: string, key?: KeyRequest, options?: CallOptions): Promise<CreatedKey>;
  /** Changes the name and the limits; a field that is not given stays as it is. */
  change(
    key: { accountId: string; keyId: string },
    change: KeyChange,
    options?: CallOptions,
  ): Promise<AccountKey>;
  delete(accountId: string, keyId: string, options?: CallOptions): Promise<void>;
};

type GrantOptions = CallOptions & { idempotencyKey?: string | undefined };

const adminPath = '/admin/v1';

export function createAdminClient(
  { token, ...options }: AdminClientOptions,
  parts: ClientParts = systemParts,
): AdminClient {
  const connection = connect({ ...options, apiKey: token }, parts);
  const ask = createAsk(connection);
  return {
    accounts: accountCalls(connection),
    keys: keyCalls(connection),
    people: createAdminPeopleCalls(connection),
    health: ({ signal, hours } = {}) =>
      ask(
        { method: 'GET', path: `${adminPath}/health${queryOf({ hours })}`, signal },
        holdsList<ServiceHealth>('verdicts'),
      ),
    endRest: (name, { signal } = {}) =>
      ask(
        { method: 'POST', path: `${adminPath}/rests/end`, body: { name }, signal },
        holdsList<EndedRests>('ended'),
      ),
    findRequest: (requestId, { signal } = {}) =>
      ask({ method: 'GET', path: `${adminPath}/requests/${encodeURIComponent(requestId)}`, signal }, isTrace),
    auditLog: ({ signal, ...page } = {}) =>
      ask(
        { method: 'GET', path: `${adminPath}/audit-log${queryOf(page)}`, signal },
        holdsList<AuditLogPage>('entries'),
      ),
    probers: ({ signal } = {}) =>
      ask({ method: 'GET', path: `${adminPath}/probers`, signal }, holdsList<AdminProberList>('probers')),
  };
}

function accountCalls(connection: Connection): AdminAccountCalls {
  const ask = createAsk(connection);
  return {
    list: ({ signal, ...page } = {}) =>
      ask(
        { method: 'GET', path: `${adminPath}/accounts${queryOf(page)}`, signal },
        holdsList<AdminAccountPage>('accounts'),
      ),
    create: (account, { signal } = {}) =>
      ask({ method: 'POST', path: `${adminPath}/accounts`, body: account, signal }, isAccount),
    get: (accountId, { signal } = {}) => ask({ method: 'GET', path: pathOf(accountId), signal }, isAccount),
    setPlan: (accountId, plan, { signal } = {}) =>
      ask({ method: 'PATCH', path: pathOf(accountId), body: { plan }, signal }, isAccount),
    setRate: (accountId, rate, { signal } = {}) =>
      ask(
        { method: 'PATCH', path: pathOf(accountId), body: { requests_per_minute: rate }, signal },
        isAccount,
      ),
    grant: (accountId, credits, { signal, idempotencyKey } = {}) =>
      ask(
        { method: 'POST', path: `${pathOf(accountId)}/grants`, body: { credits }, idempotencyKey, signal },
        isAccount,
      ),
    unfreeze: (accountId, reason, { signal } = {}) =>
      ask({ method: 'POST', path: `${pathOf(accountId)}/unfreeze`, body: { reason }, signal }, isAccount),
    ledger: (accountId, { signal, ...page } = {}) =>
      ask(
        { method: 'GET', path: `${pathOf(accountId)}/ledger${queryOf(page)}`, signal },
        holdsList<LedgerPage>('entries'),
      ),
    tasks: (accountId, { signal, ...page } = {}) =>
      ask(
        { method: 'GET', path: `${pathOf(accountId)}/tasks${queryOf(page)}`, signal },
        holdsList<TaskPage>('tasks'),
      ),
  };
}

function keyCalls(connection: Connection): AdminKeyCalls {
  const ask = createAsk(connection);
  const keysOf = (accountId: string) => `${pathOf(accountId)}/keys`;
  return {
    list: (accountId, { signal } = {}) =>
      ask({ method: 'GET', path: keysOf(accountId), signal }, holdsList<KeyList>('keys')),
    create: (accountId, key = {}, { signal } = {}) =>
      ask({ method: 'POST', path: keysOf(accountId), body: key, signal }, isCreatedKey),
    change: ({ accountId, keyId }, change, { signal } = {}) => {
      const path = `${keysOf(accountId)}/${encodeURIComponent(keyId)}`;
      return ask({ method: 'PATCH', path, body: change, signal }, isKey);
    },
    delete: async (accountId, keyId, { signal } = {}) => {
      await request(
        { method: 'DELETE', path: `${keysOf(accountId)}/${encodeURIComponent(keyId)}`, signal },
        connection,
      );
    },
  };
}

function pathOf(accountId: string): string {
  return `${adminPath}/accounts/${encodeURIComponent(accountId)}`;
}

function isAccount(body: object): body is AdminAccount {
  return 'account_id' in body && 'credits' in body;
}

function isTrace(body: object): body is AdminRequestTrace {
  return 'request_id' in body && 'kind' in body;
}

function isKey(body: object): body is AccountKey {
  return 'key_id' in body && 'name' in body;
}

function isCreatedKey(body: object): body is CreatedKey {
  return 'api_key' in body && 'key_id' in body;
}
