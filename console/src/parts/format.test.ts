import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, duration, elapsed, grouped, megabytes, percent, roughly } from './format.ts';

test('numbers are written the same everywhere', () => {
  assert.equal(grouped(1_234_567), '1,234,567');
  assert.equal(counted(1, 'credit'), '1 credit');
  assert.equal(counted(0, 'is', 'are'), '0 are');
  assert.deepEqual(
    [percent(1, 3), percent(1, 4), percent(0, 0), percent(9_999, 10_000)],
    ['33.3 %', '25 %', '0 %', '100 %'],
  );
  assert.deepEqual([0, 1, 99_999, 12_345_678].map(megabytes), ['0 kB', '1 kB', '100 kB', '12.3 MB']);
});

test('times are told in the two largest units that matter', () => {
  assert.deepEqual([0.4, 59, 61, 300, 3_700, 86_400].map(duration), [
    '0 s',
    '59 s',
    '1 min 1 s',
    '5 min',
    '1 h 1 min',
    '1 d',
  ]);
  assert.deepEqual([1, 45, 300, 5_400, 86_400, 259_200].map(roughly), [
    '1 second',
    '45 seconds',
    '5 minutes',
    '2 hours',
    '24 hours',
    '3 days',
  ]);
  assert.deepEqual([elapsed(12.4), elapsed(1_400)], ['12 ms', '1.4 s']);
});
