import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isChosen, readRowChoice, type RowResult } from './row-result.ts';

function row(status: string, safeToSend: boolean | null): RowResult {
  return {
    row: 1,
    kind: 'address',
    email: 'x@example.com',
    status,
    score: null,
    safeToSend,
    deliverable: true,
    reason: '',
    provider: null,
    repaired: null,
    didYouMean: null,
  };
}

function chosen(text: string, result: RowResult): boolean {
  const choice = readRowChoice(text, { roles: true });
  assert.ok(choice !== undefined, text);
  return isChosen(choice, result);
}

test('sendable rows leave out roles that nobody should write to in bulk', () => {
  assert.equal(chosen('sendable', row('safe', true)), true);
  assert.equal(chosen('sendable', row('role_account', true)), true);
  assert.equal(chosen('sendable', row('role_account', false)), false);
});

test('such a role is still found by its status, and among all rows', () => {
  assert.equal(chosen('role_account', row('role_account', false)), true);
  assert.equal(chosen('all', row('role_account', false)), true);
  assert.equal(chosen('risky', row('catch_all', false)), true);
});
