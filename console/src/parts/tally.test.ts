import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noHostAsked, providerOf } from './provider-of.ts';
import { tallyByProvider, tallyByStatus } from './tally.ts';

test('a provider is told by the end of the name of its mail host', () => {
  assert.equal(providerOf('ASPMX.L.google.com'), 'Google');
  assert.equal(providerOf('example-com.mail.protection.outlook.com'), 'Microsoft 365');
  assert.equal(providerOf('notgoogle.com'), 'notgoogle.com');
  assert.equal(providerOf('a.mx.example.net'), 'example.net');
  assert.equal(providerOf(null), noHostAsked);
});

test('statuses are counted in the order in which they are listed', () => {
  const answers = ['unknown', 'safe', 'invalid', 'safe', 'brand_new'].map((status) => ({ status }));
  assert.deepEqual(tallyByStatus(answers), [
    { status: 'safe', count: 2 },
    { status: 'invalid', count: 1 },
    { status: 'unknown', count: 2 },
  ]);
});

test('providers come largest first, and those beyond the most are one', () => {
  const answers = ['b', 'a', 'a', 'c', 'd'].map((provider) => ({ provider, status: 'safe' }));
  assert.deepEqual(
    tallyByProvider(answers, 3).map(({ provider, count }) => [provider, count]),
    [
      ['a', 2],
      ['b', 1],
      ['2 others', 2],
    ],
  );
  assert.equal(tallyByProvider(answers, 4).length, 4);
});
