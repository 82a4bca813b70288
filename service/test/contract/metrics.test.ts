import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { metricFamilies } from '../../src/features/metrics/metric-families.ts';
import { createApiClient } from '../support/api-client.ts';
import { openFixture } from '../support/open-fixture.ts';
import { readExposition, sumOf, type Exposed } from '../support/read-exposition.ts';

const names = Array.from({ length: 12 }, (_, number) => `secret-${number}.test`);

const world: WorldDescription = {
  zones: Object.fromEntries(names.map((name) => [name, { mx: [[10, `mx.${name}`] as [number, string]] }])),
  hosts: Object.fromEntries(names.map((name) => [`mx.${name}`, { mailboxes: { ann: 'exists' } }])),
};

const token = 'the-token-of-the-metrics-0123456789';

async function scrape(url: string, headers: Record<string, string> = {}): Promise<Exposed> {
  const response = await fetch(url, { headers });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  assert.doesNotMatch(text, /secret|ann@|acct_|mp_live/, 'no domain, address, account or key in a label');
  return readExposition(text);
}

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  describe(`/metrics on ${database}`, () => {
    it('what verifications, tasks, conversations, transactions and requests did stands in the figures', async () => {
      const fixture = await openFixture({ world, database, settings: { MAILPROOF_METRICS_PORT: '0' } });
      const { liveKey: key } = await fixture.openAccount({ credits: 100 });
      const service = await fixture.startHere();
      const client = createApiClient(service.url);
      try {
        const { metricsUrl = '' } = service;
        assert.equal((await client.ask({ method: 'GET', path: '/metrics' })).status, 404, 'not on the API');
        const before = await scrape(metricsUrl);
        assert.equal((await client.verify(key, `ann@${names[0]}`)).status, 200);
        assert.equal((await client.verify(key, `eve@${names[0]}`)).status, 200);
        await client.results(
          key,
          await client.createdTask(
            key,
            names.map((name) => `ann@${name}`),
          ),
        );
        const after = await scrape(metricsUrl);
        const grew = (name: string, labels: Record<string, string> = {}) =>
          sumOf(after, name, labels) - sumOf(before, name, labels);

        assert.equal(grew('mailproof_verifications_total', { status: 'safe', provider: 'other' }), 13);
        assert.equal(grew('mailproof_verifications_total', { status: 'invalid', provider: 'other' }), 1);
        assert.equal(grew('mailproof_verification_stage_seconds_count', { stage: 'smtp' }), 14);
        const single = { route: '/api/v1/email-verification', method: 'POST', status: '200' };
        assert.equal(grew('mailproof_http_request_duration_seconds_count', single), 2);
        assert.ok(grew('mailproof_conversations_opened_total', { route: 'default' }) >= 12);
        assert.ok(grew('mailproof_conversations_connected_total', { route: 'default' }) >= 12);
        assert.ok(grew('mailproof_dns_queries_total') > 0);
        assert.ok(grew('mailproof_store_transaction_seconds_count', { outcome: 'committed' }) >= 3);
        assert.ok(grew('mailproof_store_group_operations_sum') >= 3);
        assert.equal(after.get('mailproof_store_available'), 1);
        assert.equal(after.get('mailproof_mail_port_blocked'), 0);
        assert.equal(after.get('mailproof_resolver_in_order'), 1);
        assert.equal(after.get('mailproof_route_open{route="default"}'), 1);
        assert.equal(after.get('mailproof_frozen_accounts'), 0);
        assert.ok((after.get('mailproof_disk_free_bytes') ?? 0) > 0);
        assert.ok((after.get('process_resident_memory_bytes') ?? 0) > 0);
        assert.ok(after.has('nodejs_eventloop_lag_p99_seconds'));
        const credits = (kind: string) => before.get(`mailproof_credits{kind="${kind}"}`) ?? 0;
        assert.equal(credits('granted'), 100);
        assert.equal(credits('available') + credits('reserved') + credits('spent'), credits('granted'));
      } finally {
        client.close();
        await service.stop();
        await fixture.close();
      }
    });

    it('twelve domains, unknown paths and odd methods make no more series than one', async () => {
      const fixture = await openFixture({ world, database, settings: { MAILPROOF_METRICS_PORT: '0' } });
      const { liveKey: key } = await fixture.openAccount({ credits: 100 });
      const service = await fixture.startHere();
      const client = createApiClient(service.url);
      const step = async (number: number) => {
        assert.equal((await client.verify(key, `ann@${names[number]}`)).status, 200);
        await client.ask({ method: 'GET', path: `/secret-${number}` });
        await client.ask({ method: 'GET', path: `/api/v1/lists/secret-${number}`, key });
        await client.ask({ method: ['PROPFIND', 'MKCOL', 'LOCK'][number % 3] ?? '', path: '/healthz' });
        return ourSeries(await scrape(service.metricsUrl ?? ''));
      };
      try {
        const first = await step(0);
        for (let number = 1; number < 11; number += 1) await step(number);
        const last = await step(11);
        assert.deepEqual(
          last.filter((series) => !first.includes(series)),
          [],
        );
      } finally {
        client.close();
        await service.stop();
        await fixture.close();
      }
    });

    it('a worker has them on a port of its own', async () => {
      const fixture = await openFixture({ world, database, settings: { MAILPROOF_METRICS_PORT: '0' } });
      const worker = await fixture.startHere({ role: 'worker' });
      try {
        const exposed = await scrape(worker.metricsUrl ?? '');
        assert.equal(exposed.get('mailproof_tasks{status="waiting"}'), 0);
        assert.equal(exposed.get('mailproof_oldest_waiting_task_seconds'), 0);
        assert.equal(exposed.get('mailproof_webhook_deliveries_pending'), 0);
        assert.equal(exposed.get('mailproof_lists{state="running"}'), 0);
      } finally {
        await worker.stop();
        await fixture.close();
      }
    });
  });
}

describe('who may read /metrics', () => {
  it('without a port and without a token there is none, whatever the method', async () => {
    const fixture = await openFixture({ world });
    const service = await fixture.startHere();
    try {
      assert.equal(service.metricsUrl, undefined);
      for (const method of ['GET', 'HEAD', 'POST'])
        assert.equal((await fetch(`${service.url}/metrics`, { method })).status, 404);
    } finally {
      await service.stop();
      await fixture.close();
    }
  });

  it('with a token they are on the port of the API, for whoever has it; guessing is slowed', async () => {
    const fixture = await openFixture({ world, settings: { MAILPROOF_METRICS_TOKEN: token } });
    const service = await fixture.startHere();
    const url = `${service.url}/metrics`;
    try {
      assert.equal((await fetch(url)).status, 401);
      assert.equal((await fetch(url, { method: 'POST' })).status, 405);
      const right = { authorization: `Bearer ${token}` };
      assert.ok((await scrape(url, right)).has('mailproof_store_available'));
      assert.equal((await fetch(url, { method: 'HEAD', headers: right })).status, 200);
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 7; attempt += 1)
        statuses.push((await fetch(url, { headers: { authorization: `Bearer ${token}x` } })).status);
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
    } finally {
      await service.stop();
      await fixture.close();
    }
  });

  it('with both they are on their own port only, and the token is demanded there', async () => {
    const settings = { MAILPROOF_METRICS_TOKEN: token, MAILPROOF_METRICS_PORT: '0' };
    const fixture = await openFixture({ world, settings });
    const service = await fixture.startHere();
    const { metricsUrl = '' } = service;
    try {
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await fetch(`${service.url}/metrics`, { headers })).status, 404);
      assert.equal((await fetch(metricsUrl)).status, 401);
      assert.equal((await fetch(metricsUrl, { headers })).status, 200);
      assert.equal((await fetch(metricsUrl, { method: 'POST', headers })).status, 405);
      assert.equal((await fetch(metricsUrl.replace('/metrics', '/'))).status, 404);
    } finally {
      await service.stop();
      await fixture.close();
    }
  });
});

/** The series of ours, without those that a slow store or a busy machine adds: a call of the test may be turned away and repeated. */
function ourSeries(exposed: Exposed): string[] {
  const spontaneous = [metricFamilies.storeTransactionSeconds.name, metricFamilies.overloadRefusals.name];
  return [...exposed.keys()].filter(
    (series) =>
      series.startsWith('mailproof_') &&
      !series.includes('status="503"') &&
      !spontaneous.some((name) => series.startsWith(name)),
  );
}
