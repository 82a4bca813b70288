import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminProberList, AdminRequestTrace, AuditLogPage, ServiceHealth } from '@mailproof/client';
import type { Service } from '../../main.ts';
import { createApiClient } from '../../../test/support/api-client.ts';
import { openFixture } from '../../../test/support/open-fixture.ts';

const token = 'a-token-of-the-operator-of-this-test';

/** The whole service in a world of its own: what it counts and writes down while it works, read by the operator. */
test('verifications are counted once each and requests found by their id, over a restart', async () => {
  const fixture = await openFixture({
    world: {
      zones: {
        'town.test': { mx: [[10, 'mx.town.test']] },
        'grey.test': { mx: [[10, 'mx.grey.test']] },
      },
      hosts: {
        'mx.town.test': { mailboxes: { ada: 'exists' } },
        'mx.grey.test': { temper: { greylist: { waitMs: 3_600_000, defers: 'everybody' } } },
      },
    },
    settings: { MAILPROOF_ADMIN_TOKEN: token },
  });
  const running: Service[] = [];
  const start = async () => {
    const service = await fixture.startHere();
    running.push(service);
    return service;
  };
  try {
    const { liveKey: key } = await fixture.openAccount({ credits: 100 });
    const before = await start();
    const client = createApiClient(before.url);
    const single = async (email: string, headers: Record<string, string> = {}) => {
      const answer = await client.verify(key, email, { headers });
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };
    const repeated = { 'idempotency-key': 'once' };
    const requestId = (await single('ada@town.test', repeated)).requestId;
    await single('ada@town.test', repeated);
    const unknownId = (await single('ada@grey.test')).requestId;
    await client.results(
      key,
      await client.createdTask(key, ['ada@town.test', 'bob@town.test', 'no address']),
    );
    client.close();
    await before.stop();

    const later = await start();
    const read = async <T>(url: string): Promise<T> => {
      const call = { method: 'GET', path: `/admin/v1${url}`, key: token };
      const { status, text } = await createApiClient(later.url).ask(call);
      assert.equal(status, 200, text);
      return JSON.parse(text) as T;
    };
    const health = await read<ServiceHealth>('/health?hours=1');
    const counts = health.verdicts.flatMap((step) => Object.entries(step.counts));
    const sumOf = (status: string) =>
      counts.filter(([name]) => name === status).reduce((sum, [, count]) => sum + count, 0);
    assert.deepEqual([sumOf('safe'), sumOf('invalid'), sumOf('unknown')], [2, 1, 1]);
    assert.deepEqual(
      health.unknown_reasons.map(({ count }) => count),
      [1],
    );
    assert.deepEqual(health.providers, [{ provider: 'other', counts: { safe: 2, invalid: 1, unknown: 1 } }]);
    assert.deepEqual(health.failures, []);
    assert.doesNotMatch(JSON.stringify(health), /ada|bob|town|@/);
    assert.deepEqual(health.routes, [{ name: 'default', state: 'open' }]);
    const { probers, egress_addresses: addresses } = await read<AdminProberList>('/probers');
    assert.deepEqual(probers, []);
    assert.deepEqual(
      addresses.map(({ name, state, owner }) => [name, state, owner]),
      [['default', 'well', health.processes[0]?.id]],
    );
    assert.equal(health.processes.length, 1);

    const trace = await read<AdminRequestTrace>(`/requests/${requestId}`);
    assert.deepEqual([trace.kind, trace.credits], ['verification', { reserved: 1, charged: 1, released: 0 }]);
    const unknown = await read<AdminRequestTrace>(`/requests/${unknownId}`);
    assert.deepEqual(unknown.credits, { reserved: 1, charged: 0, released: 1 });

    const { entries } = await read<AuditLogPage>('/audit-log');
    assert.deepEqual(entries.map(({ actor, action }) => `${actor} ${action}`).reverse(), [
      'command_line account_created',
      'command_line credits_granted',
      'command_line key_created',
      'command_line key_created',
    ]);
  } finally {
    for (const service of running) await service.stop();
    await fixture.close();
  }
});
