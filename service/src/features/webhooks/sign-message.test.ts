import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSignature } from '../../../test/support/webhooks/judge-signature.ts';
import { makeSecret, signMessage } from './sign-message.ts';

const id = 'msg_0b6f2f0e-8a53-4c1e-9d59-4f6a3a1f7c11';
const body = '{"type":"task.completed","data":{"name":"é"}}';

test('the reference implementation of Standard Webhooks takes our signature, and no other message with it', () => {
  const secret = makeSecret();
  const headers = signMessage({ id, body, secrets: [secret], now: Date.now() });
  assert.deepEqual(judgeSignature({ headers, body }, secret), JSON.parse(body));
  assert.throws(() => judgeSignature({ headers, body: `${body} ` }, secret));
  assert.throws(() => judgeSignature({ headers: { ...headers, 'webhook-id': 'msg_other' }, body }, secret));
  assert.throws(() => judgeSignature({ headers, body }, makeSecret()));
  const old = signMessage({ id, body, secrets: [secret], now: Date.now() - 600_000 });
  assert.throws(() => judgeSignature({ headers: old, body }, secret), /old/);
});

test('while a secret is rotated, a message is signed by both', () => {
  const [fresh, previous] = [makeSecret(), makeSecret()];
  const headers = signMessage({ id, body, secrets: [fresh, previous], now: Date.now() });
  assert.match(headers['webhook-signature'] ?? '', /^v1,\S{44} v1,\S{44}$/);
  for (const secret of [fresh, previous]) judgeSignature({ headers, body }, secret);
});

test('a secret is 32 random bytes in base64 behind whsec_', () => {
  assert.match(makeSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(makeSecret(), makeSecret());
});
