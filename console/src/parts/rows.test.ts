import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Arrangement, arrangeRows, type ResultRow, unarranged, visibleRange } from './rows.ts';

const rows: ResultRow[] = [
  {
    row: 1,
    address: 'Zoe@example.com',
    status: 'safe',
    score: 98,
    provider: 'Google',
    reason: 'mailbox_accepted',
  },
  { row: 2, address: 'bob@example.net', status: 'unknown', score: null, provider: '', reason: 'greylisted' },
  {
    row: 3,
    address: 'ada@example.com',
    status: 'invalid',
    score: 0,
    provider: 'Google',
    reason: 'user_unknown',
  },
];

const order = (wish: Partial<Arrangement>) =>
  arrangeRows(rows, { ...unarranged, ...wish }).map(({ row }) => row);

test('rows are filtered by status and by text, wherever it stands', () => {
  assert.deepEqual(order({ status: 'safe' }), [1]);
  assert.deepEqual(order({ search: ' GOOGLE ' }), [1, 3]);
  assert.deepEqual(order({ search: 'greylist' }), [2]);
});

test('rows are sorted either way, and what is not known comes before the least', () => {
  assert.deepEqual(order({ sortBy: 'address' }), [3, 2, 1]);
  assert.deepEqual(order({ sortBy: 'score' }), [2, 3, 1]);
  assert.deepEqual(order({ sortBy: 'score', isDescending: true }), [1, 3, 2]);
  assert.deepEqual(order({ sortBy: 'status' }), [1, 3, 2]);
  assert.deepEqual(order({ sortBy: 'row', isDescending: true }), [3, 2, 1]);
});

test('as many rows are drawn as are seen, and the heights add up wherever one has scrolled to', () => {
  for (const top of [0, 440, 439_999, 1_000_000]) {
    const { first, last, above, below } = visibleRange(10_000, { top, height: 600, rowHeight: 44 });
    assert.ok(last - first <= 40 && last > first);
    assert.equal(above + (last - first) * 44 + below, 440_000);
  }
  assert.deepEqual(visibleRange(0, { top: 0, height: 600, rowHeight: 44 }), {
    first: 0,
    last: 0,
    above: 0,
    below: 0,
  });
});
