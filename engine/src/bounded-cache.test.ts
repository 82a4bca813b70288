import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoundedCache } from './bounded-cache.ts';

function setUp(maxEntries: number) {
  const time = { now: 0 };
  return { time, cache: createBoundedCache<number>({ clock: { now: () => time.now }, maxEntries }) };
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

test('a look that does not count as use leaves entries in the order they were set', () => {
  const { time, cache } = setUp(2);
  cache.set('a', 1, 100);
  cache.set('b', 2, 100);
  assert.equal(cache.peek('a'), 1);
  cache.set('c', 3, 100);
  assert.equal(cache.peek('a'), undefined);
  time.now = 100;
  assert.equal(cache.peek('b'), undefined);
});

test('everything alive can be listed, each with its end', () => {
  const { time, cache } = setUp(10);
  cache.set('a', 1, 50);
  cache.set('b', 2, 100);
  time.now = 50;
  assert.deepEqual(cache.list(), [{ key: 'b', value: 2, until: 100 }]);
  assert.equal(cache.lifeOf('b'), 50);
});

test('without a clock an entry leaves only to make room', () => {
  const cache = createBoundedCache<number>({ maxEntries: 1 });
  cache.set('a', 1);
  assert.equal(cache.get('a'), 1);
  assert.equal(cache.lifeOf('a'), Infinity);
  cache.set('b', 2);
  assert.equal(cache.get('a'), undefined);
});
