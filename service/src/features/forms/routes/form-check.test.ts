import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { FoundFormKey } from '../find-form-key.ts';
import { makeFormKey } from '../form-key.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import type { WholeHttpParts } from '../../../start/whole-server.ts';

const key = makeFormKey();
const page = 'https://www.example.com';
const found: FoundFormKey = {
  key,
  accountId: 'account-paid',
  origins: [page],
  checksPerDay: 10,
  checksPerVisitor: 10,
  counted: 0,
};

async function open(context: TestContext, check: WholeHttpParts['forms']['check']) {
  const none = () => Promise.reject(new Error('not part of this test'));
  const findKey = (text: string) => Promise.resolve(text === key ? found : undefined);
  const forms = { findKey, check, keys: none, createKey: none, deleteKey: none };
  const { port } = await listen(context, { forms });
  const url = `http://127.0.0.1:${port}`;
  const ask = (headers: Record<string, string>, body: object = { email: ' jane@gmial.com ' }) =>
    fetch(`${url}/api/v1/form-check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { url, ask };
}

const typo = { result: 'typo', did_you_mean: 'jane@gmail.com' } as const;
const authorization = `Bearer ${key}`;

test('a page that the key names is answered, and may read the answer', async (context) => {
  const asked: string[] = [];
  const { ask } = await open(context, ({ email }) => {
    asked.push(email);
    return Promise.resolve({ kind: 'checked', answer: typo });
  });
  const response = await ask({ authorization, origin: page });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), typo);
  assert.deepEqual(asked, ['jane@gmial.com']);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('access-control-allow-credentials'), null);
  assert.equal(response.headers.get('x-credits-used'), '0');
  assert.equal(response.headers.get('set-cookie'), null);
});

test('any other page, and no page, is refused with 403', async (context) => {
  const { ask } = await open(context, () => Promise.reject(new Error('asked')));
  for (const headers of [{}, { origin: 'https://other.example' }, { origin: 'null' }]) {
    const response = await ask({ authorization, ...headers });
    assert.equal(response.status, 403);
    assert.deepEqual(await response.json(), { status: 'error', reason: 'origin_not_allowed' });
  }
});

test('a secret key, an unknown one and none are 401 here; a publishable key is 401 everywhere else', async (context) => {
  const { url, ask } = await open(context, () => Promise.reject(new Error('asked')));
  for (const headers of [{}, { authorization: 'Bearer paid' }, { authorization: `Bearer ${makeFormKey()}` }])
    assert.equal((await ask({ origin: page, ...headers })).status, 401);
  for (const path of ['email-verification', 'bulk-email-verification', 'lists', 'account/keys']) {
    const headers = { authorization, origin: page, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body: '{}' });
    assert.equal(response.status, 401, path);
  }
});

test('a cap that is reached is 429 with the time until the next day', async (context) => {
  const { ask } = await open(context, () =>
    Promise.resolve({ kind: 'too_many_checks', retryAfterSeconds: 3_600 }),
  );
  const response = await ask({ authorization, origin: page });
  assert.equal(response.status, 429);
  assert.equal(response.headers.get('retry-after'), '3600');
  assert.deepEqual(await response.json(), { status: 'error', reason: 'too_many_checks' });
});

test('a body without an address is 400', async (context) => {
  const { ask } = await open(context, () => Promise.reject(new Error('asked')));
  for (const body of [{}, { email: 5 }, { email: '' }, { email: 'x'.repeat(1_001) }])
    assert.equal((await ask({ authorization, origin: page }, body)).status, 400);
});

test('browsers are told beforehand what they may send', async (context) => {
  const { url } = await open(context, () => Promise.reject(new Error('asked')));
  const response = await fetch(`${url}/api/v1/form-check`, {
    method: 'OPTIONS',
    headers: { origin: page, 'access-control-request-method': 'POST' },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('access-control-allow-methods'), 'POST');
  assert.equal(response.headers.get('access-control-allow-headers'), 'authorization, content-type');
});

test('the script weighs at most 5 kB, and every page may load it', async (context) => {
  const { url } = await open(context, () => Promise.reject(new Error('asked')));
  const response = await fetch(`${url}/form.js`);
  assert.equal(response.status, 200);
  const script = await response.text();
  assert.ok(Buffer.byteLength(script) <= 5_000, `${Buffer.byteLength(script)} bytes`);
  assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
  for (const forbidden of ['innerHTML', 'eval', 'cookie =', 'localStorage', 'http:'])
    assert.ok(!script.includes(forbidden), forbidden);
});
