import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeRests, type RestNews } from './merge-rests.ts';

/** Small numbers, so that equal times and equal counts come up often. */
const small = fc.integer({ min: 0, max: 4 });
const plain = { noNullPrototype: true } as const;
const rest = fc.record({ until: small, reason: fc.constantFrom('host_defers', 'host_silent') }, plain);
const slow = fc.record({ perMinute: fc.integer({ min: 1, max: 3 }), until: small }, plain);
const news: fc.Arbitrary<RestNews> = fc.record(
  {
    at: small,
    rest: fc.option(rest, { nil: undefined }),
    slow: fc.option(slow, { nil: undefined }),
    failures: small,
    silences: small,
  },
  plain,
);

test('the order in which news come makes no difference', () => {
  fc.assert(
    fc.property(news, news, news, (a, b, c) => {
      assert.deepEqual(mergeRests(a, b), mergeRests(b, a));
      assert.deepEqual(mergeRests(mergeRests(a, b), c), mergeRests(a, mergeRests(b, c)));
    }),
    { numRuns: 2_000 },
  );
});

test('news that come twice change nothing', () => {
  fc.assert(
    fc.property(news, news, (a, b) => {
      assert.deepEqual(mergeRests(a, a), a);
      assert.deepEqual(mergeRests(mergeRests(a, b), b), mergeRests(a, b));
    }),
    { numRuns: 2_000 },
  );
});

test('no host rests shorter or is asked faster than either said', () => {
  fc.assert(
    fc.property(news, news, (a, b) => {
      const merged = mergeRests(a, b);
      for (const one of [a, b]) {
        assert.ok((merged.rest?.until ?? -1) >= (one.rest?.until ?? -1));
        assert.ok((merged.slow?.perMinute ?? Infinity) <= (one.slow?.perMinute ?? Infinity));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('the later word on failures holds, also when it is better', () => {
  const none = { rest: undefined, slow: undefined, silences: 0 };
  const merged = mergeRests({ ...none, at: 2, failures: 0 }, { ...none, at: 1, failures: 3 });
  assert.equal(merged.failures, 0);
});
