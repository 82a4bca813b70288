import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRoute } from './route.ts';

test('every path of a page is read, with or without a slash at its end', () => {
  assert.deepEqual(readRoute('/'), { kind: 'home' });
  assert.deepEqual(readRoute('/lists/'), { kind: 'lists' });
  assert.deepEqual(readRoute('/lists/3f2c'), { kind: 'list', id: '3f2c' });
  assert.deepEqual(readRoute('/tasks/0b5c'), { kind: 'task', id: '0b5c' });
  assert.deepEqual(readRoute('/operator/accounts/a%20b'), { kind: 'operator_account', id: 'a b' });
  assert.deepEqual(readRoute('/operator/audit-log'), { kind: 'operator_audit' });
});

test('what is no page is not found, whatever it looks like', () => {
  for (const path of ['/nowhere', '/tasks/a/b', '/lists/a/b', '/constructor', '/operator/requests'])
    assert.deepEqual(readRoute(path), { kind: 'not_found' }, path);
  assert.deepEqual(readRoute('/tasks/%'), { kind: 'task', id: '%' });
});
