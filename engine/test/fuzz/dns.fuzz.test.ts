import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fuzzCacheKeys, fuzzMessages, fuzzMxTargets, fuzzWireNames, fuzzZoneGraphs } from './dns.fuzz.ts';

describe('whatever is thrown at it', () => {
  test('a name on the wire is the canonical name', async () => {
    const { asked } = await fuzzWireNames({ runs: 4_000 });
    assert.ok(asked > 200, `only ${asked} names were good enough to ask`);
  });

  test('only canonical names come out of MX records', () => fuzzMxTargets({ runs: 2_000 }));

  test('a verification costs at most 12 queries, without the control that many share', async () => {
    const { most } = await fuzzZoneGraphs({ runs: 400 });
    assert.equal(most, 12, 'the worst case is among the zones');
  });

  test('no answer shows under another question', () => fuzzCacheKeys({ runs: 300 }));

  test('any message is read without an exception', () => fuzzMessages({ runs: 5_000 }));
});
