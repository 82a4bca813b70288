import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoundedCache } from './bounded-cache.ts';

function setUp(maxEntries: number) {
  const time = { now: 0 };
  const clock = { now: () => time.now, after: () => () => undefined };
  return { time, cache: createBoundedCache<number>(clock, maxEntries) };
}

test('an entry lives exactly as long as it was given', () => {
  const { time, cache } = setUp(10);
  cache.set('a', 1, 100);
  time.now = 99;
  assert.equal(cache.get('a'), 1);
  time.now = 100;
  assert.equal(cache.get('a'), undefined);
  assert.equal(cache.size(), 0);
});

test('there are never more entries than the bound, and the least recently used goes first', () => {
  const { cache } = setUp(2);
  cache.set('a', 1, 100);
  cache.set('b', 2, 100);
  cache.get('a');
  cache.set('c', 3, 100);
  assert.equal(cache.size(), 2);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.get('c'), 3);
});

test('an entry without a life is not kept', () => {
  const { cache } = setUp(2);
  cache.set('a', 1, 0);
  assert.equal(cache.size(), 0);
});
