import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientLimits } from './exchange.ts';
import { retryWaitMs } from './request.ts';

const wait = (attempt: number, retryAfter: string | null, random: number) =>
  retryWaitMs({ attempt, retryAfter }, clientLimits, { random: () => random, now: () => 1_000_000 });

test('waits double and half of each is left to chance, up to the longest', () => {
  assert.deepEqual([wait(1, null, 0), wait(1, null, 1), wait(3, null, 0.5)], [250, 500, 1_500]);
  assert.equal(wait(30, null, 1), clientLimits.retryLongestMs);
});

test('is never shorter than the service asked for, and not the same for everybody', () => {
  assert.equal(wait(1, '2', 0), 2_000);
  assert.ok(wait(1, '2', 0.9) > 2_000);
  assert.equal(wait(1, new Date(1_005_000).toUTCString(), 0), 5_000);
});

test('an absurd or unreadable wish does not stop the client for ever', () => {
  assert.equal(wait(1, '999999999', 0), clientLimits.retryAfterLongestMs);
  for (const wish of ['soon', '', '-5', new Date(0).toUTCString()]) assert.equal(wait(1, wish, 1), 500, wish);
});
