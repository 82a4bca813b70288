import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerTable } from '@mailproof/engine';
import { noHostAsked, providerName, providerOf } from './providers.ts';

test('every provider that the service tells apart has a name that people know', () => {
  const nameless = providerTable.map(({ id }) => id).filter((id) => providerName(id) === id);
  assert.deepEqual(nameless, []);
  assert.equal(providerName('newer'), 'newer');
});

test('a provider is told by the end of the name of its mail host', () => {
  assert.equal(providerOf('ASPMX.L.google.com'), 'Google');
  assert.equal(providerOf('example-com.mail.protection.outlook.com'), 'Microsoft 365');
  assert.equal(providerOf('notgoogle.com'), 'notgoogle.com');
  assert.equal(providerOf('a.mx.example.net'), 'example.net');
  assert.equal(providerOf(null), noHostAsked);
});
