import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictWhy } from './verdict-why.ts';

test('the headline says why, and when asking again may help', () => {
  const greylisted = { reason: 'greylisted', retry: { advised: true, after_seconds: 300 } };
  assert.equal(verdictWhy(greylisted), 'Greylisted: ask again in 5 minutes');
  assert.equal(
    verdictWhy({ ...greylisted, retry: { advised: true, after_seconds: 3_600 } }),
    'Greylisted: ask again in 1 hour',
  );
  assert.equal(
    verdictWhy({ reason: 'mx_unreachable', retry: { advised: true } }),
    'MX unreachable: ask again later',
  );
  assert.equal(verdictWhy({ reason: 'user_unknown', retry: { advised: false } }), 'User unknown');
});
