import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readExposition, sumOf } from '../../../test/support/read-exposition.ts';
import { createExposition } from './create-exposition.ts';
import { createMetrics } from './create-metrics.ts';
import { watchGroups, watchRequests, watchWebhooks } from './watch-events.ts';

describe('events on their way into the figures', () => {
  it('attempts of webhooks are told apart by the class of their answer, or by why there was none', async () => {
    const metrics = createMetrics();
    const note = watchWebhooks(metrics);
    const answered = (status: number) =>
      ({ kind: 'answered', status, retryAfterMs: 0, response: '' }) as const;
    for (const status of [200, 204, 301, 404, 410, 503]) note(answered(status), 20);
    note({ kind: 'failed', why: 'timeout' }, 15_000);
    const exposed = readExposition(await createExposition(metrics).text());
    const attempts = (outcome: string) =>
      sumOf(exposed, 'mailproof_webhook_attempt_seconds_count', { outcome });
    assert.deepEqual(['2xx', '3xx', '4xx', '5xx', 'timeout'].map(attempts), [2, 1, 2, 1, 1]);
  });

  it('methods that no route knows are one', async () => {
    const metrics = createMetrics();
    const note = watchRequests(metrics);
    for (const method of ['GET', 'PROPFIND', 'MKCOL']) note({ method, route: undefined, status: 404, ms: 1 });
    const exposed = readExposition(await createExposition(metrics).text());
    const requests = (method: string) =>
      sumOf(exposed, 'mailproof_http_request_duration_seconds_count', { method, route: 'unmatched' });
    assert.deepEqual(['GET', 'other', 'PROPFIND'].map(requests), [1, 2, 0]);
  });

  it('a transaction counts once, with all operations in it, however it ended', async () => {
    const metrics = createMetrics();
    const note = watchGroups(metrics);
    note({ operations: 30, tookMs: 2, outcome: 'committed' });
    note({ operations: 1, tookMs: 900, outcome: 'failed' });
    const exposed = readExposition(await createExposition(metrics).text());
    assert.equal(exposed.get('mailproof_store_group_operations_sum'), 31);
    assert.equal(exposed.get('mailproof_store_transaction_seconds_count{outcome="failed"}'), 1);
    assert.equal(
      exposed.get('mailproof_store_transaction_seconds_bucket{le="0.0025",outcome="committed"}'),
      1,
    );
  });
});
