import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { createWholeServer } from '../../../start/whole-server.ts';
import { createTestParts } from '../../../../test/support/http/test-parts.ts';
import { createRateLimits } from './rate-limits.ts';

function setUp(rates: { ratePerAccount?: number; ratePerKey?: number }) {
  const clock = createTestClock();
  const { ratePerAccount, ratePerKey } = rates;
  const limits = createRateLimits({ clock, ratePerAccount, ratePerKey });
  const take = (asker = 'a', actor = 'k', requestsPerMinute?: number) =>
    limits.take({ asker, actor, requestsPerMinute });
  const takeMany = (count: number, ...who: Parameters<typeof take>) =>
    Array.from({ length: count }, () => take(...who).kind);
  return { clock, limits, take, takeMany };
}

describe('rates', () => {
  test('are off unless somebody sets one', () => {
    const { takeMany } = setUp({});
    assert.deepEqual(new Set(takeMany(10_000)), new Set(['free']));
  });

  test('a minute’s worth may come at once, then one more in every part of the minute', () => {
    for (const quota of [1, 3, 7, 60, 600, 999]) {
      const { clock, take, takeMany } = setUp({ ratePerAccount: quota });
      assert.deepEqual(new Set(takeMany(quota)), new Set(['taken']), String(quota));
      assert.equal(take().kind, 'refused');
      clock.advance(60_000 / quota + 0.01);
      assert.deepEqual(takeMany(2), ['taken', 'refused'], String(quota));
      clock.advance(60_000);
      assert.deepEqual(takeMany(quota + 1).indexOf('refused'), quota, String(quota));
    }
  });

  test('no 60 seconds see more than twice the quota, and no longer time more than its share and one quota', () => {
    const { clock, take } = setUp({ ratePerAccount: 30 });
    const taken: number[] = [];
    for (let at = 0; at < 600_000; at += 250) {
      if (take().kind === 'taken') taken.push(at);
      clock.advance(250);
    }
    assert.equal(taken.length, 30 + 299);
    for (const from of taken)
      assert.ok(taken.filter((at) => at >= from && at < from + 60_000).length <= 60, String(from));
  });

  test('the fields count what is left to the one, though time goes on while a request is looked at', () => {
    let at = 0;
    const clock = { ...createTestClock(), now: () => (at += 0.05) };
    const limits = createRateLimits({ clock, ratePerAccount: 100, ratePerKey: undefined });
    for (let left = 99; left >= 0; left -= 1) {
      const answer = limits.take({ asker: 'a', actor: 'k', requestsPerMinute: undefined });
      assert.ok(answer.kind === 'taken' && answer.fields.ratelimit.startsWith(`"account";r=${left};`));
    }
  });

  test('the fields say what is left, and when', () => {
    const { clock, take } = setUp({ ratePerAccount: 3, ratePerKey: 2 });
    const said = (answer: ReturnType<typeof take>) => (answer.kind === 'free' ? undefined : answer.fields);
    const policy = '"account";q=3;w=60, "key";q=2;w=60';
    assert.deepEqual(said(take()), {
      'ratelimit-policy': policy,
      ratelimit: '"account";r=2;t=20, "key";r=1;t=30',
    });
    clock.advance(500);
    assert.equal(said(take())?.ratelimit, '"account";r=1;t=40, "key";r=0;t=60');
    const refused = take();
    assert.deepEqual(refused, {
      kind: 'refused',
      fields: { 'ratelimit-policy': policy, ratelimit: '"account";r=1;t=40, "key";r=0;t=30' },
      retryAfterSeconds: 30,
    });
  });

  test('what is refused is not counted, neither for the key nor for the account', () => {
    const { clock, take, takeMany } = setUp({ ratePerAccount: 4, ratePerKey: 2 });
    takeMany(2);
    assert.deepEqual(new Set(takeMany(50)), new Set(['refused']));
    assert.deepEqual(takeMany(3, 'a', 'other'), ['taken', 'taken', 'refused']);
    clock.advance(30_000);
    assert.equal(take().kind, 'taken');
  });

  test('the account alone pays: another one is not refused', () => {
    const { takeMany } = setUp({ ratePerAccount: 2 });
    takeMany(1_000);
    assert.deepEqual(takeMany(2, 'b', 'k2'), ['taken', 'taken']);
  });

  test('what the operator allows an account stands in the place of the setting', () => {
    const { takeMany } = setUp({ ratePerAccount: 2 });
    assert.deepEqual(takeMany(6, 'a', 'k', 5).indexOf('refused'), 5);
    const { takeMany: withoutSetting } = setUp({});
    assert.deepEqual(withoutSetting(6, 'a', 'k', 5).indexOf('refused'), 5);
  });
});

describe('429 rate_limited', () => {
  test('with Retry-After and the fields, before the body is looked at; a live key’s do not use up a test key’s', async () => {
    const { clock, limits } = setUp({ ratePerAccount: 2 });
    const parts = createTestParts({ rateLimits: limits });
    const server = await createWholeServer(parts);
    const send = (key: string, payload = '{"email":"a@example.com"}') =>
      server.inject({
        method: 'POST',
        url: '/api/v1/email-verification',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        payload,
      });
    const first = await send('paid');
    assert.deepEqual(
      [first.statusCode, first.headers['ratelimit-policy'], first.headers['ratelimit']],
      [200, '"account";q=2;w=60', '"account";r=1;t=30'],
    );
    assert.equal((await send('paid', 'no JSON')).statusCode, 400, 'it counts all the same');
    const refused = await send('paid', 'no JSON');
    assert.deepEqual(
      [refused.statusCode, refused.body, refused.headers['retry-after'], refused.headers['ratelimit']],
      [429, '{"status":"error","reason":"rate_limited"}', '30', '"account";r=0;t=30'],
    );
    assert.equal(refused.headers['x-credits-used'], '0');
    assert.equal((await send('test')).statusCode, 200);
    assert.equal((await send('other')).statusCode, 200);
    assert.equal((await send('nobody')).headers['ratelimit'], undefined);
    clock.advance(30_000);
    assert.equal((await send('paid')).statusCode, 200);
    await server.close();
  });
});
