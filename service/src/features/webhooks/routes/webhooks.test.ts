import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type {
  CreatedWebhook,
  RotatedSecret,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
} from '@mailproof/client';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { refusal } from '../../../../test/support/http/ask.ts';
import {
  openHttpFixture,
  type Asked,
  type HttpFixture,
} from '../../../../test/support/http/open-http-fixture.ts';

const path = '/api/v1/webhooks';
const hook = { url: 'https://hooks.example.com/in', events: ['task.completed'] };

for (const database of oneDatabase) {
  describe(`${path} on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    const ask = (method: Asked['method'], url: string, more: Partial<Asked> = {}) =>
      fixture.ask({ ...(method && { method }), url: `${path}${url}`, key: fixture.ours.live, ...more });
    const created = async (body: object = hook): Promise<CreatedWebhook> => {
      const response = await ask('POST', '', { body });
      assert.equal(response.statusCode, 201, response.body);
      return response.json<CreatedWebhook>();
    };
    const all = async () => (await ask('GET', '')).json<{ webhooks: Webhook[] }>().webhooks;
    const refused = async (answer: Promise<{ statusCode: number; json(): unknown }>) => {
      const response = await answer;
      return [response.statusCode, response.json()];
    };
    beforeEach(async () => {
      for (const { webhook_id } of await all()) await ask('DELETE', `/${webhook_id}`);
    });

    test('201: an endpoint with its secret, which is not shown again', async () => {
      const { secret, ...webhook } = await created({
        ...hook,
        events: ['credits.low', 'list.paused', 'credits.low'],
      });
      assert.match(secret, /^whsec_/);
      assert.deepEqual(webhook, {
        webhook_id: webhook.webhook_id,
        url: 'https://hooks.example.com/in',
        events: ['credits.low', 'list.paused'],
        credits_low_at: 100,
        enabled: true,
        disabled_at: null,
        disabled_because: null,
        failing_since: null,
        previous_secret_until: null,
        created_at: webhook.created_at,
      });
      assert.deepEqual(await all(), [webhook]);
      assert.deepEqual((await ask('GET', `/${webhook.webhook_id}`)).json(), webhook);
    });

    test('200: changed, switched off and on; what waited when it went off is given up', async () => {
      const { webhook_id: id } = await created();
      await ask('POST', `/${id}/test`);
      const off = (
        await ask('PATCH', `/${id}`, { body: { enabled: false, url: 'https://new.example.com' } })
      ).json<Webhook>();
      assert.deepEqual(
        [off.enabled, off.disabled_because, off.url],
        [false, 'owner', 'https://new.example.com/'],
      );
      const { deliveries } = (await ask('GET', `/${id}/deliveries`)).json<WebhookDeliveryPage>();
      assert.deepEqual(
        deliveries.map(({ state, attempts }) => [state, attempts.length]),
        [['failed', 0]],
      );
      assert.deepEqual(await refused(ask('POST', `/${id}/test`)), [409, refusal('webhook_disabled')]);
      const on = (await ask('PATCH', `/${id}`, { body: { enabled: true } })).json<Webhook>();
      assert.deepEqual([on.enabled, on.disabled_at, on.disabled_because], [true, null, null]);
    });

    test('429 rate_limited: more tests than an account may send, until the time that is told', async () => {
      const { webhook_id: id } = await created();
      fixture.time.advance(600_000);
      const statuses: number[] = [];
      for (let n = 0; n < 10; n += 1) statuses.push((await ask('POST', `/${id}/test`)).statusCode);
      assert.deepEqual(new Set(statuses), new Set([202]));
      const refused = await ask('POST', `/${id}/test`);
      assert.deepEqual([refused.statusCode, refused.json()], [429, refusal('rate_limited')]);
      assert.equal(refused.headers['retry-after'], '60');
      fixture.time.advance(600_000);
      assert.equal((await ask('POST', `/${id}/test`)).statusCode, 202);
      await ask('DELETE', `/${id}`);
    });

    test('202: a test message, and a message of before again under the same id', async () => {
      const { webhook_id: id } = await created();
      const first = (await ask('POST', `/${id}/test`)).json<WebhookDelivery>();
      assert.deepEqual([first.type, first.state, first.attempts], ['webhook.test', 'pending', []]);
      const again = (
        await ask('POST', `/${id}/deliveries/${first.delivery_id}/send`)
      ).json<WebhookDelivery>();
      assert.equal(again.event_id, first.event_id);
      assert.notEqual(again.delivery_id, first.delivery_id);
      for (const wrong of ['x', '%00', '019a7c52-6e0b-7d1f-8a3c-5b6d7e8f9a0b'])
        assert.deepEqual(await refused(ask('POST', `/${id}/deliveries/${wrong}/send`)), [
          404,
          refusal('delivery_not_found'),
        ]);
    });

    test('200: deliveries page by page, the newest first', async () => {
      const { webhook_id: id } = await created();
      const sent: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        sent.unshift((await ask('POST', `/${id}/test`)).json<WebhookDelivery>().delivery_id);
        fixture.time.advance(2);
      }
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null;) {
        const from: string = next === '' ? '' : `&before=${next}`;
        const page: WebhookDeliveryPage = (await ask('GET', `/${id}/deliveries?limit=2${from}`)).json();
        seen.push(...page.deliveries.map(({ delivery_id }) => delivery_id));
        next = page.next;
      }
      assert.deepEqual(seen, sent);
      assert.deepEqual(await refused(ask('GET', `/${id}/deliveries?before=zzz`)), [
        400,
        refusal('invalid_request'),
      ]);
    });

    test('200: a rotated secret is new and its predecessor signs for a day', async () => {
      const { webhook_id: id, secret } = await created();
      const rotated = (await ask('POST', `/${id}/rotate-secret`)).json<RotatedSecret>();
      assert.match(rotated.secret, /^whsec_/);
      assert.notEqual(rotated.secret, secret);
      const webhook = (await ask('GET', `/${id}`)).json<Webhook>();
      assert.equal(webhook.previous_secret_until, rotated.previous_secret_until);
      assert.equal(Date.parse(rotated.previous_secret_until), fixture.time.wallClock.now() + 86_400_000);
    });

    test('400: what is no endpoint, no event or no threshold', async () => {
      for (const url of [
        'http://hooks.example.com/',
        'https://a:b@hooks.example.com/',
        'nothing',
        'https://x.example:25/',
      ])
        assert.deepEqual(await refused(ask('POST', '', { body: { ...hook, url } })), [
          400,
          refusal('invalid_webhook_url'),
        ]);
      for (const body of [
        {},
        { ...hook, events: [] },
        { ...hook, events: ['task.created'] },
        { ...hook, events: ['webhook.test'] },
        { ...hook, credits_low_at: 0 },
        { ...hook, credits_low_at: 1.5 },
        { ...hook, url: 5 },
        { ...hook, enabled: 'yes' },
      ])
        assert.deepEqual(await refused(ask('POST', '', { body })), [400, refusal('invalid_request')]);
      assert.deepEqual(await all(), []);
    });

    test('a test key sees no endpoint, and changes none (403 live_key_required)', async () => {
      const { webhook_id: id } = await created();
      const asTest = { key: fixture.ours.test };
      assert.deepEqual((await ask('GET', '', asTest)).json(), { webhooks: [] });
      for (const answer of [ask('GET', `/${id}`, asTest), ask('GET', `/${id}/deliveries`, asTest)])
        assert.deepEqual(await refused(answer), [404, refusal('webhook_not_found')]);
      for (const answer of [
        ask('POST', '', { ...asTest, body: hook }),
        ask('PATCH', `/${id}`, { ...asTest, body: { enabled: false } }),
        ask('DELETE', `/${id}`, asTest),
        ask('POST', `/${id}/rotate-secret`, asTest),
        ask('POST', `/${id}/test`, asTest),
      ])
        assert.deepEqual(await refused(answer), [403, refusal('live_key_required')]);
    });

    test('404 webhook_not_found: the endpoints of another account, deleted ones, and what is no id', async () => {
      const { webhook_id: id } = await created();
      const asThem = { key: fixture.theirs.live };
      const calls = (webhook: string, more: Partial<Asked>) => [
        ask('GET', `/${webhook}`, more),
        ask('PATCH', `/${webhook}`, { ...more, body: { enabled: false } }),
        ask('DELETE', `/${webhook}`, more),
        ask('POST', `/${webhook}/rotate-secret`, more),
        ask('POST', `/${webhook}/test`, more),
        ask('GET', `/${webhook}/deliveries`, more),
      ];
      for (const answer of [...calls(id, asThem), ...calls('x', {}), ...calls('%00', {})])
        assert.deepEqual(await refused(answer), [404, refusal('webhook_not_found')]);
      assert.equal((await ask('DELETE', `/${id}`)).statusCode, 204);
      for (const answer of calls(id, {}))
        assert.deepEqual(await refused(answer), [404, refusal('webhook_not_found')]);
    });

    test('409 too_many_webhooks: ten, however many are asked for at once', async () => {
      const answers = await Promise.all(Array.from({ length: 14 }, () => ask('POST', '', { body: hook })));
      assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 10);
      const [late] = answers.filter(({ statusCode }) => statusCode !== 201);
      assert.deepEqual([late?.statusCode, late?.json()], [409, refusal('too_many_webhooks')]);
    });

    test('a session changes endpoints with its token, and not without', async () => {
      const session = await fixture.signInWith(fixture.ours.live);
      const asked = { method: 'POST', url: path, session, body: hook } as const;
      assert.equal((await fixture.ask(asked)).statusCode, 201);
      const forged = await fixture.ask({ ...asked, csrf: undefined });
      assert.deepEqual([forged.statusCode, forged.json()], [403, refusal('csrf_token_mismatch')]);
    });
  });
}
