import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreatedWebhook, Webhook, WebhookDelivery } from '@mailproof/client';
import { sqlite } from '../../../../service/test/support/databases.ts';
import {
  openHttpFixture,
  type HttpFixture,
} from '../../../../service/test/support/http/open-http-fixture.ts';
import { runHere } from '../../../test/support/run-here.ts';

/** The commands against the service itself. */
let fixture: HttpFixture;
let url: string;
before(async () => {
  fixture = await openHttpFixture(sqlite);
  url = await fixture.server.listen({ host: '127.0.0.1', port: 0 });
});
after(() => fixture.close());

const webhooks = (...args: string[]) =>
  runHere(['webhooks', ...args], {
    env: { MAILPROOF_URL: url, MAILPROOF_API_KEY: fixture.ours.live.apiKey },
  });
const answer = async <T>(...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await webhooks(...args, '--json');
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout) as T;
};

test('an endpoint is created, shown, changed, tested, sent to again, rotated and deleted', async () => {
  assert.match((await webhooks()).stderr, /No webhooks yet/);
  const made = await webhooks(
    'create',
    'https://hooks.example.com/in',
    '--events',
    'task.completed, credits.low',
  );
  assert.equal(made.code, 0);
  assert.match(made.stderr, /Save this secret now/);
  assert.match(
    made.stdout,
    /on {2}https:\/\/hooks\.example\.com\/in {2}task\.completed, credits\.low at 100\nwhsec_/,
  );
  const [webhook_id = ''] = made.stdout.split(' ', 1);

  const off = await answer<Webhook>('change', webhook_id, '--off', '--credits-low-at', '5');
  assert.deepEqual([off.enabled, off.credits_low_at], [false, 5]);
  const refused = await webhooks('test', webhook_id);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /The webhook is off/);
  assert.match((await webhooks()).stdout, / off /);
  await answer('change', webhook_id, '--on', '--endpoint', 'https://new.example.com/');

  const tested = await answer<WebhookDelivery>('test', webhook_id);
  const again = await answer<WebhookDelivery>('send', webhook_id, tested.delivery_id);
  assert.equal(again.event_id, tested.event_id);
  const shown = await webhooks('deliveries', webhook_id);
  assert.equal(shown.stdout.match(/webhook\.test {2}pending \(0 attempts\)/g)?.length, 2);
  assert.match((await answer<{ secret: string }>('rotate-secret', webhook_id)).secret, /^whsec_/);
  assert.deepEqual(await answer('delete', webhook_id), { webhook_id });
  const gone = await webhooks('deliveries', webhook_id);
  assert.deepEqual([gone.code, /no such webhook/.test(gone.stderr)], [2, true]);
});

test('what is not understood is answered with one line', async () => {
  for (const [args, line] of [
    [['create', 'http://hooks.example.com/'], /must be https/],
    [['create', 'https://hooks.example.com/', '--events', 'task.created'], /does not understand/],
    [['create', 'https://hooks.example.com/', '--credits-low-at', 'x'], /whole number/],
    [['change', 'x', '--on', '--off'], /exclude each other/],
    [['test', 'x'], /no such webhook/],
  ] as const) {
    const { code, stderr } = await webhooks(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, line);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
  }
  const { webhook_id } = await answer<CreatedWebhook>('create', 'https://hooks.example.com/');
  const { stdout } = await webhooks('list', '--json');
  assert.deepEqual((JSON.parse(stdout) as Webhook).events, ['task.completed', 'list.completed']);
  await answer('delete', webhook_id);
});
