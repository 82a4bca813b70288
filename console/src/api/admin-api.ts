import type {
  AdminAccount,
  AdminAccountPage,
  AdminAccountRequest,
  AdminRequestTrace,
  AuditLogPage,
  CreatedKey,
  KeyList,
  KeyRequest,
  LedgerPage,
  ServiceHealth,
  TaskPage,
} from '@mailproof/client';
import type { Ask, Paging } from './create-api.ts';
import { query } from './query.ts';

/** What the operator asks of the service. */
export type AdminApi = {
  accounts(page: Paging & { search?: string }): Promise<AdminAccountPage>;
  createAccount(wish: AdminAccountRequest): Promise<AdminAccount>;
  account(id: string): Promise<AdminAccount>;
  setPlan(id: string, plan: AdminAccount['plan']): Promise<AdminAccount>;
  /** With the same key a repeated click grants once. */
  grant(id: string, credits: number, idempotencyKey: string): Promise<AdminAccount>;
  keys(id: string): Promise<KeyList>;
  createKey(id: string, wish: KeyRequest): Promise<CreatedKey>;
  deleteKey(id: string, keyId: string): Promise<void>;
  ledger(id: string, page: Paging): Promise<LedgerPage>;
  tasks(id: string, page: Paging): Promise<TaskPage>;
  health(): Promise<ServiceHealth>;
  request(requestId: string): Promise<AdminRequestTrace>;
  auditLog(page: Paging): Promise<AuditLogPage>;
};

const admin = '/admin/v1';

export function createAdminApi(ask: Ask): AdminApi {
  const get = <Body>(path: string) => ask<Body>({ method: 'GET', path: `${admin}${path}` });
  return {
    accounts: (page) => get(`/accounts${query(page)}`),
    createAccount: (body) => ask({ method: 'POST', path: `${admin}/accounts`, body }),
    account: (id) => get(one(id)),
    setPlan: (id, plan) => ask({ method: 'PATCH', path: `${admin}${one(id)}`, body: { plan } }),
    grant: (id, credits, idempotencyKey) =>
      ask({ method: 'POST', path: `${admin}${one(id)}/grants`, body: { credits }, idempotencyKey }),
    keys: (id) => get(`${one(id)}/keys`),
    createKey: (id, body) => ask({ method: 'POST', path: `${admin}${one(id)}/keys`, body }),
    deleteKey: (id, keyId) =>
      ask({ method: 'DELETE', path: `${admin}${one(id)}/keys/${encodeURIComponent(keyId)}` }),
    ledger: (id, page) => get(`${one(id)}/ledger${query(page)}`),
    tasks: (id, page) => get(`${one(id)}/tasks${query(page)}`),
    health: () => get('/health'),
    request: (id) => get(`/requests/${encodeURIComponent(id)}`),
    auditLog: (page) => get(`/audit-log${query(page)}`),
  };
}

function one(id: string): string {
  return `/accounts/${encodeURIComponent(id)}`;
}
