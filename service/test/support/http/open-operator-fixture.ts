import assert from 'node:assert/strict';
import type { AuditLogEntry, AuditLogPage } from '@mailproof/client';
import type { TestDatabase } from '../databases.ts';
import { refusal } from './ask.ts';
import { openHttpFixture, type HttpFixture, type Asked } from './open-http-fixture.ts';

/** The operator's client of the HTTP side: it sends the token, under `/admin/v1`, and expects an answer. */
export type OperatorFixture = HttpFixture & {
  asked: (asked: Asked) => ReturnType<HttpFixture['ask']>;
  read: <T>(url: string) => Promise<T>;
  change: <T>(asked: Asked, status: number) => Promise<T>;
  refused: (asked: Asked, expected: [status: number, reason: string]) => Promise<void>;
  /** Returns the last entry of the audit log. */
  newest: () => Promise<AuditLogEntry>;
};

export const admin = '/admin/v1';
export const nobody = 'acct_0000000000000000';
export const noRequest = '00000000-0000-7000-8000-000000000000';

export async function openOperatorFixture(database: TestDatabase): Promise<OperatorFixture> {
  const fixture = await openHttpFixture(database);
  const asked = (call: Asked) => fixture.ask({ asOperator: true, ...call, url: `${admin}${call.url}` });

  async function read<T>(url: string): Promise<T> {
    const response = await asked({ url });
    assert.equal(response.statusCode, 200, response.body);
    return response.json<T>();
  }

  return {
    ...fixture,
    asked,
    read,
    change: async <T>(call: Asked, status: number) => {
      const response = await asked({ method: 'POST', ...call });
      assert.equal(response.statusCode, status, response.body);
      return response.json<T>();
    },
    refused: async (call, [status, reason]) => {
      const response = await asked(call);
      assert.deepEqual([response.statusCode, response.json()], [status, refusal(reason)], call.url);
    },
    newest: async () => {
      const [entry] = (await read<AuditLogPage>('/audit-log?limit=1')).entries;
      assert.ok(entry !== undefined);
      return entry;
    },
  };
}

/** Returns every endpoint for an account, with a body if one is needed. */
export const endpointsOf = (accountId: string) =>
  [
    { method: 'GET', url: `${admin}/accounts` },
    { method: 'POST', url: `${admin}/accounts`, body: { name: 'new' } },
    { method: 'GET', url: `${admin}/accounts/${accountId}` },
    { method: 'PATCH', url: `${admin}/accounts/${accountId}`, body: { plan: 'none' } },
    { method: 'POST', url: `${admin}/accounts/${accountId}/grants`, body: { credits: 1 } },
    { method: 'POST', url: `${admin}/accounts/${accountId}/unfreeze`, body: { reason: 'looked at' } },
    { method: 'GET', url: `${admin}/accounts/${accountId}/keys` },
    { method: 'POST', url: `${admin}/accounts/${accountId}/keys`, body: {} },
    { method: 'DELETE', url: `${admin}/accounts/${accountId}/keys/abcdefgh` },
    { method: 'GET', url: `${admin}/accounts/${accountId}/ledger` },
    { method: 'GET', url: `${admin}/accounts/${accountId}/tasks` },
    { method: 'GET', url: `${admin}/health` },
    { method: 'POST', url: `${admin}/rests/end`, body: { name: 'yahoo' } },
    { method: 'GET', url: `${admin}/requests/${noRequest}` },
    { method: 'GET', url: `${admin}/audit-log` },
  ] as const satisfies readonly Asked[];
