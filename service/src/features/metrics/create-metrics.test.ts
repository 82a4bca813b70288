import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readExposition, sumOf } from '../../../test/support/read-exposition.ts';
import { createExposition } from './create-exposition.ts';
import { createMetrics, mostSeries } from './create-metrics.ts';
import { metricFamilies, type MetricFamily } from './metric-families.ts';

const name = metricFamilies.verificationStageSeconds.name;

describe('metrics', () => {
  it('what was counted and observed is written in the format of Prometheus', async () => {
    const metrics = createMetrics();
    const labels = { status: 'safe', reason: 'mailbox_accepted', provider: 'a "quoted"\nname' };
    metrics.count('verifications', labels);
    metrics.count('verifications', labels);
    for (const seconds of [0.01, 0.2, 0.2, 7, 4_000])
      metrics.observe('verificationStageSeconds', { stage: 'smtp' }, seconds);
    const text = await createExposition(metrics).text();
    assert.match(
      text,
      /^mailproof_verifications_total\{status="safe",reason="mailbox_accepted",provider="a \\"quoted\\"\\nname"\} 2$/m,
    );
    const exposed = readExposition(text);
    const below = (le: string) => exposed.get(`${name}_bucket{le="${le}",stage="smtp"}`);
    assert.deepEqual(['0.01', '0.1', '0.25', '10', '1800', '+Inf'].map(below), [1, 1, 3, 4, 4, 5]);
    assert.equal(exposed.get(`${name}_count{stage="smtp"}`), 5);
    assert.ok(Math.abs((exposed.get(`${name}_sum{stage="smtp"}`) ?? 0) - 4_007.41) < 1e-6);
  });

  it('what is looked up is as it is now, not what it was before', async () => {
    const metrics = createMetrics();
    let open = 3;
    metrics.addSource(() => [{ key: 'conversationsOpen', labels: {}, value: open }]);
    const { text } = createExposition(metrics);
    const opened = async () => readExposition(await text()).get('mailproof_conversations_open');
    assert.equal(await opened(), 3);
    open = 1;
    assert.equal(await opened(), 1);
  });

  it('a family has no more series than its bound, and loses no count beyond it', async () => {
    const metrics = createMetrics();
    for (let number = 0; number < mostSeries + 500; number += 1)
      metrics.count('verifications', { status: 'safe', reason: `reason-${number}`, provider: 'none' });
    const exposed = readExposition(await createExposition(metrics).text());
    const series = [...exposed.keys()].filter((one) => one.startsWith('mailproof_verifications_total'));
    assert.equal(series.length, mostSeries + 1);
    assert.equal(sumOf(exposed, 'mailproof_verifications_total'), mostSeries + 500);
    const beyond = { status: 'other', reason: 'other', provider: 'other' };
    assert.equal(sumOf(exposed, 'mailproof_verifications_total', beyond), 500);
  });

  it('many who ask at once cost one look', async () => {
    const metrics = createMetrics();
    let looks = 0;
    metrics.addSource(() => {
      looks += 1;
      return [];
    });
    const { text } = createExposition(metrics);
    await Promise.all(Array.from({ length: 50 }, () => text()));
    assert.equal(looks, 1);
  });

  it('names follow the conventions: prefix, base units, _total for counters alone, bounds in order', () => {
    const families: MetricFamily[] = Object.values(metricFamilies);
    assert.equal(new Set(families.map((family) => family.name)).size, families.length);
    for (const family of families) {
      assert.match(family.name, /^mailproof_[a-z_]+[a-z]$/);
      assert.equal(family.name.endsWith('_total'), family.type === 'counter', family.name);
      assert.doesNotMatch(family.name, /_(?:ms|milliseconds|minutes|percent|count|sum|bucket)$/);
      assert.equal(family.type === 'histogram', family.buckets !== undefined, family.name);
      const { buckets = [] } = family;
      assert.deepEqual(
        [...buckets],
        buckets.toSorted((a, b) => a - b),
      );
      for (const label of Object.keys(family.labels)) assert.match(label, /^[a-z]+$/);
    }
  });
});
