import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, grouped } from '../present/count.ts';
import { duration, progressLine } from './progress-display.ts';

test('a line says how much, how fast and how long still', () => {
  assert.equal(
    progressLine({ total: 10_000, answered: 2_500, perSecond: 62.5 }),
    '25 %  2,500 of 10,000 addresses, 63 per second, 2 min 0 s left',
  );
  assert.equal(
    progressLine({ total: 10, answered: 0, perSecond: 0 }),
    '0 %  0 of 10 addresses, 0.0 per second',
  );
});

test('times and counts are written for people', () => {
  assert.deepEqual([0.4, 59.6, 61, 7_322].map(duration), ['0 s', '1 min 0 s', '1 min 1 s', '2 h 2 min']);
  assert.equal(grouped(1_234_567), '1,234,567');
  assert.deepEqual([counted(1, 'credit'), counted(0, 'credit')], ['1 credit', '0 credits']);
  assert.equal(counted(2_000, 'address', 'addresses'), '2,000 addresses');
});
