import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { oneDatabase } from '../../../../test/support/databases.ts';
import {
  adminToken,
  openHttpFixture,
  type HttpFixture,
} from '../../../../test/support/http/open-http-fixture.ts';
import { refusal } from '../../../../test/support/http/ask.ts';

const accountUrl = '/api/v1/account';
const keysUrl = '/api/v1/account/keys';

for (const database of oneDatabase) {
  describe(`/session on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    const signInBody = (body: unknown, headers: Record<string, string> = {}) =>
      fixture.ask({ method: 'POST', url: '/session', body, headers });
    const elsewhere = (n: number) => ({ 'x-forwarded-for': `192.0.2.${n}` });

    test('200: a key is exchanged for a cookie that scripts and other sites do not get', async () => {
      const response = await signInBody({ key: fixture.ours.live.apiKey });
      assert.equal(response.statusCode, 200);
      const cookie = String(response.headers['set-cookie']);
      assert.match(
        cookie,
        /^mailproof_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      const body = response.json<{ kind: string; csrf_token: string; account: { account_id: string } }>();
      assert.deepEqual([body.kind, body.account.account_id], ['account', fixture.ours.accountId]);
      assert.equal(response.headers['cache-control'], 'no-store');
      const whole = JSON.stringify([body, cookie]);
      assert.ok(!whole.includes(fixture.ours.live.apiKey), 'the key is not sent back');
    });

    test('the cookie is Secure where the request came by https', async () => {
      for (const proto of ['https', 'HTTPS', 'http, https']) {
        const response = await signInBody({ key: fixture.ours.live.apiKey }, { 'x-forwarded-proto': proto });
        assert.match(String(response.headers['set-cookie']), /; Secure/, proto);
      }
      for (const proto of ['http', 'https, http', '', 'httpsx']) {
        const response = await signInBody({ key: fixture.ours.live.apiKey }, { 'x-forwarded-proto': proto });
        assert.doesNotMatch(String(response.headers['set-cookie']), /Secure/, proto);
      }
    });

    test('200: the admin token opens a session of the operator', async () => {
      const session = await fixture.signInAsOperator();
      const response = await fixture.ask({ url: '/session', session });
      assert.deepEqual(response.json(), { kind: 'operator', csrf_token: session.csrfToken });
    });

    test('GET tells who is signed in, 401 no_session where nobody is', async () => {
      const session = await fixture.signInWith(fixture.ours.test);
      const response = await fixture.ask({ url: '/session', session, csrf: undefined });
      const body = response.json<{ kind: string; csrf_token: string; account: { key: { mode: string } } }>();
      assert.deepEqual(
        [body.kind, body.csrf_token, body.account.key.mode],
        ['account', session.csrfToken, 'test'],
      );
      for (const cookie of [
        '',
        'mailproof_session=',
        `mailproof_session=${'A'.repeat(43)}`,
        session.cookie.replace('mailproof', 'other'),
        session.cookie.slice(0, -1),
      ]) {
        const none = await fixture.ask({ url: '/session', headers: { cookie } });
        assert.deepEqual([none.statusCode, none.json()], [401, refusal('no_session')], cookie);
      }
    });

    test('401 invalid_key: anything that is no key or token of ours', async () => {
      const { apiKey } = fixture.ours.live;
      const wrong = [
        { key: '' },
        { key: 'nonsense' },
        { key: `${apiKey.slice(0, -1)}_` },
        { key: adminToken },
        { admin_token: '' },
        { admin_token: apiKey },
        { admin_token: `${adminToken} ` },
        { admin_token: 'x'.repeat(100_000) },
      ];
      for (const [n, body] of wrong.entries()) {
        const response = await signInBody(body, elsewhere(n));
        assert.deepEqual([response.statusCode, response.json()], [401, refusal('invalid_key')]);
        assert.equal(response.headers['set-cookie'], undefined);
      }
    });

    test('400 invalid_request: neither, both, or what is no text', async () => {
      const key = fixture.ours.live.apiKey;
      for (const body of [
        {},
        { key, admin_token: 'x' },
        { key: 1 },
        { key: null },
        { admin_token: [] },
        '{',
        '[]',
        '"x"',
      ]) {
        const response = await signInBody(body, elsewhere(100));
        assert.deepEqual([response.statusCode, response.json()], [400, refusal('invalid_request')]);
      }
      const plain = await fixture.ask({
        method: 'POST',
        url: '/session',
        headers: { 'content-type': 'text/plain' },
        body: JSON.stringify({ key }),
      });
      assert.equal(plain.statusCode, 400, 'a form of another site cannot sign anybody in');
    });

    test('405 with Allow for other methods', async () => {
      for (const method of ['PUT', 'PATCH', 'HEAD', 'OPTIONS'] as const) {
        const response = await fixture.ask({ method, url: '/session' });
        assert.deepEqual(
          [response.statusCode, response.headers['allow']],
          [405, 'GET, POST, DELETE'],
          method,
        );
      }
    });

    test('429 too_many_attempts: guessing is slowed per client, with Retry-After', async () => {
      const guess = () => signInBody({ key: 'guess' }, elsewhere(200));
      for (let n = 0; n < 5; n += 1) assert.equal((await guess()).statusCode, 401);
      const slowed = await signInBody({ key: fixture.ours.live.apiKey }, elsewhere(200));
      assert.deepEqual([slowed.statusCode, slowed.json()], [429, refusal('too_many_attempts')]);
      assert.equal(slowed.headers['retry-after'], '1');
      assert.equal((await signInBody({ key: fixture.ours.live.apiKey }, elsewhere(201))).statusCode, 200);
      fixture.time.advance(1_000);
      assert.equal((await guess()).statusCode, 401);
      assert.equal((await guess()).headers['retry-after'], '2');
      fixture.time.advance(2_000);
      assert.equal((await signInBody({ key: fixture.ours.live.apiKey }, elsewhere(200))).statusCode, 200);
      assert.equal((await guess()).statusCode, 401);
    });

    test('DELETE ends the session and clears the cookie', async () => {
      const session = await fixture.signInWith(fixture.ours.live);
      const other = await fixture.signInWith(fixture.ours.live);
      const response = await fixture.ask({ method: 'DELETE', url: '/session', session });
      assert.equal(response.statusCode, 204);
      assert.match(
        String(response.headers['set-cookie']),
        /^mailproof_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      assert.equal((await fixture.ask({ url: '/session', session })).statusCode, 401);
      assert.equal((await fixture.ask({ url: accountUrl, session })).statusCode, 401);
      assert.equal((await fixture.ask({ url: accountUrl, session: other })).statusCode, 200);
      assert.equal((await fixture.ask({ method: 'DELETE', url: '/session', session })).statusCode, 204);
      assert.equal((await fixture.ask({ method: 'DELETE', url: '/session' })).statusCode, 204);
    });

    test('signing in again ends the session before', async () => {
      const first = await fixture.signInWith(fixture.ours.live);
      const second = await fixture.signIn({ key: fixture.theirs.live.apiKey }, { cookie: first.cookie });
      assert.equal((await fixture.ask({ url: '/session', session: first })).statusCode, 401);
      assert.equal((await fixture.ask({ url: '/session', session: second })).statusCode, 200);
    });

    test('a session ends within a second of its key', async () => {
      const { body } = await fixture.ask({ method: 'POST', url: keysUrl, key: fixture.ours.live, body: {} });
      const { key_id: keyId, api_key: apiKey } = JSON.parse(body) as { key_id: string; api_key: string };
      const session = await fixture.signIn({ key: apiKey });
      assert.equal((await fixture.ask({ url: accountUrl, session })).statusCode, 200);
      await fixture.ask({ method: 'DELETE', url: `${keysUrl}/${keyId}`, key: fixture.ours.live });
      fixture.time.advance(950);
      assert.equal((await fixture.ask({ url: accountUrl, session })).statusCode, 401);
      assert.equal((await fixture.ask({ url: '/session', session })).statusCode, 401);
    });
  });

  describe(`a session in place of a key on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    test('serves every endpoint of the API', async () => {
      const session = await fixture.signInWith(fixture.ours.live);
      const verify = {
        method: 'POST',
        url: '/api/v1/email-verification',
        body: { email: 'jane@example.com' },
      } as const;
      const create = {
        method: 'POST',
        url: '/api/v1/bulk-email-verification',
        body: { emails: ['jane@example.com'] },
      } as const;
      assert.equal((await fixture.ask({ ...verify, session })).statusCode, 200);
      const created = await fixture.ask({ ...create, session });
      assert.equal(created.statusCode, 201);
      const { task_id: taskId } = created.json<{ task_id: string }>();
      assert.equal((await fixture.ask({ url: `${create.url}/${taskId}`, session })).statusCode, 200);
    });

    test('403 csrf_token_mismatch: a change without its token, or with another', async () => {
      const session = await fixture.signInWith(fixture.ours.live);
      const other = await fixture.signInWith(fixture.ours.live);
      const changes = [
        { method: 'POST', url: keysUrl, body: {} },
        { method: 'POST', url: '/api/v1/email-verification', body: { email: 'jane@example.com' } },
        { method: 'POST', url: '/api/v1/bulk-email-verification', body: { emails: ['jane@example.com'] } },
        { method: 'PATCH', url: `${keysUrl}/${fixture.ours.test.keyId}`, body: { name: 'x' } },
        { method: 'DELETE', url: `${keysUrl}/${fixture.ours.test.keyId}` },
        { method: 'DELETE', url: '/session' },
      ] as const;
      const tokens = [
        undefined,
        '',
        other.csrfToken,
        session.csrfToken.slice(1),
        `${session.csrfToken} x`,
        session.csrfToken.toLowerCase(),
        'é'.repeat(43),
      ];
      for (const change of changes) {
        for (const csrf of tokens) {
          const response = await fixture.ask({ ...change, session, csrf });
          assert.deepEqual(
            [response.statusCode, response.json()],
            [403, refusal('csrf_token_mismatch')],
            `${change.method} ${change.url} ${csrf ?? ''}`,
          );
        }
      }
      const { keys } = (await fixture.ask({ url: keysUrl, session })).json<{ keys: unknown[] }>();
      assert.equal(keys.length, 2, 'nothing was changed');
    });

    test('403 cross_site_request: what a page of another site asks, reading included', async () => {
      const session = await fixture.signInWith(fixture.ours.live);
      for (const site of ['cross-site', 'same-site', 'nonsense']) {
        const headers = { 'sec-fetch-site': site };
        for (const asked of [
          { url: accountUrl },
          { url: '/session' },
          { method: 'DELETE', url: '/session' },
          { method: 'POST', url: keysUrl, body: {} },
        ] as const) {
          const response = await fixture.ask({ ...asked, session, headers });
          assert.deepEqual([response.statusCode, response.json()], [403, refusal('cross_site_request')]);
        }
        const signIn = { method: 'POST', url: '/session', body: { key: fixture.ours.live.apiKey } } as const;
        assert.equal((await fixture.ask({ ...signIn, headers })).statusCode, 403);
        assert.equal(
          (await fixture.ask({ url: accountUrl, key: fixture.ours.live, headers })).statusCode,
          200,
        );
      }
      for (const site of ['same-origin', 'none'])
        assert.equal(
          (await fixture.ask({ url: accountUrl, session, headers: { 'sec-fetch-site': site } })).statusCode,
          200,
        );
    });

    test('with an Authorization header the cookie is not looked at', async () => {
      const session = await fixture.signInWith(fixture.ours.live);
      const asTheirs = await fixture.ask({
        url: accountUrl,
        session,
        key: fixture.theirs.live,
        csrf: undefined,
      });
      assert.equal(asTheirs.json<{ account_id: string }>().account_id, fixture.theirs.accountId);
      const headers = { authorization: 'Bearer nobody' };
      assert.equal((await fixture.ask({ url: accountUrl, session, headers })).statusCode, 401);
      const created = await fixture.ask({
        method: 'POST',
        url: keysUrl,
        body: {},
        csrf: undefined,
        session,
        key: fixture.theirs.live,
      });
      assert.equal(created.statusCode, 201);
    });

    test("401: the operator's session is no account's", async () => {
      const session = await fixture.signInAsOperator();
      const response = await fixture.ask({ url: accountUrl, session });
      assert.deepEqual([response.statusCode, response.json()], [401, refusal('invalid_api_key')]);
    });
  });
}
