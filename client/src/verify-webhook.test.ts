import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

const secret = `whsec_${btoa('twenty-four bytes or more')}`;
const otherSecret = `whsec_${btoa('another secret of the test')}`;
const event = { type: 'webhook.test', timestamp: '2026-01-02T03:04:05.678Z', data: { webhook_id: 'é' } };
const body = JSON.stringify(event);

/** The reference implementation of Standard Webhooks signs, and ours judges. */
function sign({ by = secret, at = new Date(), id = 'msg_1' } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign(id, at, body),
  };
}

const reasonOf = (verified: Promise<unknown>) =>
  verified.then(
    () => 'verified',
    (error: unknown) => (error instanceof WebhookVerificationError ? error.reason : String(error)),
  );

test('a message signed by the reference implementation is believed, however its headers and body are held', async () => {
  const headers = sign();
  const capital = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  for (const held of [headers, capital, new Headers(headers), { ...headers, 'webhook-id': ['msg_1'] }])
    assert.deepEqual(await verifyWebhook(held, body, secret), event);
  assert.deepEqual(await verifyWebhook(headers, new TextEncoder().encode(body), secret), event);
});

test('one right signature among several is enough, and those of other versions are passed over', async () => {
  const headers = sign();
  const [other, right] = [sign({ by: otherSecret })['webhook-signature'], headers['webhook-signature']];
  const several = { ...headers, 'webhook-signature': `v1a,AAAA ${other} v1,!!! ${right}` };
  assert.deepEqual(await verifyWebhook(several, body, secret), event);
});

test('what was changed, is not signed by the secret, or is five minutes off is not believed', async () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const headers = sign();
  const without = { 'webhook-id': 'msg_1', 'webhook-timestamp': headers['webhook-timestamp'] };
  const cases: [string, () => Promise<unknown>][] = [
    ['no_matching_signature', () => verifyWebhook(headers, `${body} `, secret)],
    ['no_matching_signature', () => verifyWebhook(headers, body, otherSecret)],
    ['no_matching_signature', () => verifyWebhook({ ...headers, 'webhook-id': 'msg_2' }, body, secret)],
    ['no_matching_signature', () => verifyWebhook({ ...headers, 'webhook-signature': 'v1,' }, body, secret)],
    ['timestamp_too_old', () => verifyWebhook(sign({ at: minutes(-6) }), body, secret)],
    ['timestamp_too_old', () => verifyWebhook({ ...headers, 'webhook-timestamp': 'soon' }, body, secret)],
    ['timestamp_in_the_future', () => verifyWebhook(sign({ at: minutes(6) }), body, secret)],
    ['missing_headers', () => verifyWebhook(without, body, secret)],
    ['missing_headers', () => verifyWebhook({}, body, secret)],
    ['bad_secret', () => verifyWebhook(headers, body, 'whsec_')],
    ['bad_secret', () => verifyWebhook(headers, body, 'whsec_%%%')],
    ['bad_secret', () => verifyWebhook(headers, body, 'mp_live_x')],
  ];
  for (const [expected, verify] of cases) assert.equal(await reasonOf(verify()), expected);
});
