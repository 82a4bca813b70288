import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '@mailproof/client';
import { changeOf, checkStatement } from './check-statement.ts';

const at = '2026-01-02T03:04:05Z';
const entries: LedgerEntry[] = [
  { number: 4, kind: 'release', credits: 2, at, available: 92, reserved: 0, spent: 8 },
  { number: 3, kind: 'charge', credits: 8, at, available: 90, reserved: 2, spent: 8 },
  { number: 2, kind: 'reserve', credits: 10, at, available: 90, reserved: 10, spent: 0 },
  { number: 1, kind: 'grant', credits: 100, at, available: 100, reserved: 0, spent: 0 },
];

test('a statement adds up when each entry follows from the one before it', () => {
  assert.deepEqual(checkStatement(entries), []);
  assert.deepEqual(checkStatement(entries.slice(0, 2)), []);
});

test('an entry that does not follow, and a gap, are found', () => {
  const wrong = entries.map((entry) => (entry.number === 3 ? { ...entry, spent: 9 } : entry));
  assert.deepEqual(checkStatement(wrong), [4, 3]);
  assert.deepEqual(checkStatement(entries.filter(({ number }) => number !== 2)), [3]);
  assert.deepEqual(checkStatement([{ ...entries[3]!, available: 99 }]), [1]);
});

test('a charge takes nothing more from what is available: that was done when it was reserved', () => {
  assert.deepEqual(entries.map(changeOf), [2, 0, -10, 100]);
});
