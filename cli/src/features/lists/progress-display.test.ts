import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, duration, grouped } from '../../present/text.ts';
import { progressLine } from './progress-display.ts';

const list = {
  state: 'running',
  wanted: 10_000,
  checked: 2_500,
  waiting: 0,
  waiting_until: null,
  finishing: 0,
} as const;

test('a line says how much, how fast and how long still', () => {
  assert.equal(progressLine(list, 62.5), '25 %  2,500 of 10,000 addresses, 63 per second, 2 min 0 s left');
  assert.equal(
    progressLine({ ...list, wanted: 10, checked: 0 }, 0),
    '0 %  0 of 10 addresses, 0.0 per second',
  );
});

test('a line says how many wait for their mail hosts and until when, and that a list is paused', () => {
  const until = new Date(2026, 0, 2, 3, 4).toISOString();
  assert.equal(
    progressLine({ ...list, waiting: 12, waiting_until: until }, 62.5),
    '25 %  2,500 of 10,000 addresses, 63 per second, 2 min 0 s left, 12 waiting until 03:04',
  );
  assert.equal(
    progressLine({ ...list, checked: 9_990, waiting: 10, waiting_until: until }, 1),
    '99 %  9,990 of 10,000 addresses, 10 waiting until 03:04 for their mail hosts',
  );
  const paused = { ...list, state: 'paused' } as const;
  assert.equal(progressLine(paused, 1), '25 %  2,500 of 10,000 addresses, paused');
  assert.equal(
    progressLine({ ...paused, finishing: 12 }, 1),
    '25 %  2,500 of 10,000 addresses, paused, finishing 12',
  );
});

test('times and counts are written for people', () => {
  assert.deepEqual([0.4, 59.6, 61, 7_322].map(duration), ['0 s', '1 min 0 s', '1 min 1 s', '2 h 2 min']);
  assert.equal(grouped(1_234_567), '1,234,567');
  assert.deepEqual([counted(1, 'credit'), counted(0, 'credit')], ['1 credit', '0 credits']);
  assert.equal(counted(2_000, 'address', 'addresses'), '2,000 addresses');
});
