import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFeatures } from './features.ts';
import { navigationOf, readRoute } from './pages.ts';

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

test('the navigation has no page whose feature the installation lacks', () => {
  const paths = (session: 'account' | 'operator', features: string) =>
    navigationOf(session, readFeatures(features)).map(({ path }) => path);
  assert.deepEqual(paths('account', 'all'), ['/check', '/lists', '/tasks', '/account']);
  assert.deepEqual(paths('account', 'webhooks,operator'), ['/check', '/tasks', '/account']);
  assert.deepEqual(paths('operator', 'all'), ['/operator', '/operator/accounts', '/operator/audit-log']);
  assert.deepEqual(paths('operator', 'lists'), []);
});
