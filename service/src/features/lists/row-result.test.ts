import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { List } from './list.ts';
import { isChosen, readRowChoice, rowResult, type JoinedRow } from './row-result.ts';

const row: JoinedRow = {
  row: 5,
  kind: 'address',
  email: 'a@x.example',
  repaired: null,
  fault: null,
  answered: 5,
  status: null,
  score: null,
  safe: null,
  deliverable: null,
  reason: null,
  provider: null,
  did_you_mean: null,
  next_at: null,
};
const listIn = (state: List['state'], lastRow = 5): Pick<List, 'state' | 'run'> => ({
  state,
  run: {
    wanted: 1,
    planned: 1,
    checked: 0,
    conclusive: 0,
    waiting: 0,
    finishing: 0,
    lastRow,
    cursor: { host: '', row: 0 },
    nextDue: null,
  },
});

test('a row without an answer says why: it waits, was not wanted, or its list ended first', () => {
  const reason = (list: Pick<List, 'state' | 'run'>, more: Partial<JoinedRow> = {}) => {
    const result = rowResult({ ...row, ...more }, list);
    return [result.status, result.reason];
  };
  assert.deepEqual(reason(listIn('running')), [null, 'pending']);
  assert.deepEqual(reason(listIn('running'), { next_at: 1 }), [null, 'waiting']);
  assert.deepEqual(reason(listIn('running', 4)), [null, 'not_wanted']);
  assert.deepEqual(reason(listIn('completed')), ['unknown', 'deadline_reached']);
  assert.deepEqual(reason(listIn('cancelled')), [null, 'cancelled']);
  assert.deepEqual(reason(listIn('surveyed', 0)), [null, 'pending']);
});

test('role accounts are sendable only if they are wanted, and no other word chooses rows', () => {
  const choose = (roles: boolean) => {
    const choice = readRowChoice('sendable', { roles });
    assert.ok(choice);
    return ['safe', 'role_account', 'catch_all'].filter((status) =>
      isChosen(choice, rowResult({ ...row, status }, listIn('completed'))),
    );
  };
  assert.deepEqual([choose(true), choose(false)], [['safe', 'role_account'], ['safe']]);
  assert.equal(readRowChoice('safe,nonsense', { roles: true }), undefined);
});
