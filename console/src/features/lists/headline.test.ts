import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListRecord } from '@mailproof/client';
import { headlineOf, othersOf } from './headline.ts';

function list(fields: Partial<ListRecord>): ListRecord {
  return { state: 'completed', wanted: 41, checked: 41, by_status: {}, ...fields } as ListRecord;
}

test('the headline of a list says how many can be mailed, and what they are', () => {
  const byStatus = { safe: 26, role_account: 5, catch_all: 1, unknown: 3, invalid: 5, spamtrap: 1 };
  const done = list({ by_status: byStatus });
  assert.equal(headlineOf(done), '31 of 41 can be mailed: 26 safe, 5 role accounts');
  assert.deepEqual(othersOf(done), [
    '4 are risky: 1 at a catch-all domain, 3 unknown.',
    '6 should not be mailed: 5 invalid, 1 spam trap.',
  ]);
});

test('one is not many, and none is said as such', () => {
  const one = { wanted: 1, checked: 1 };
  assert.equal(
    headlineOf(list({ ...one, by_status: { role_account: 1 } })),
    '1 of 1 can be mailed: 1 role account',
  );
  assert.equal(
    headlineOf(list({ ...one, by_status: { invalid: 1 } })),
    'The one address is not safe to send',
  );
  assert.equal(headlineOf(list({ by_status: { unknown: 41 } })), 'None of the 41 addresses is safe to send');
  assert.deepEqual(othersOf(list({ by_status: { inbox_full: 1 } })), ['1 is risky: 1 with a full inbox.']);
});

test('a list that was cancelled counts what was checked', () => {
  const cancelled = list({ state: 'cancelled', checked: 12, by_status: { safe: 10, invalid: 2 } });
  assert.equal(headlineOf(cancelled), '10 of 12 checked can be mailed: 10 safe');
  assert.equal(headlineOf(list({ state: 'cancelled', checked: 0 })), 'Nothing was checked');
});
