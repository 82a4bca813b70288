import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AdminAccount } from '@mailproof/client';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { createWholeServer } from '../../../start/whole-server.ts';
import { refusal } from '../../../../test/support/http/ask.ts';
import { adminToken, type Asked } from '../../../../test/support/http/open-http-fixture.ts';
import { openHttpFixture } from '../../../../test/support/http/open-http-fixture.ts';
import {
  admin,
  endpointsOf,
  nobody,
  noRequest,
  openOperatorFixture,
  type OperatorFixture,
} from '../../../../test/support/http/open-operator-fixture.ts';
import { createTestParts } from '../../../../test/support/http/test-parts.ts';

for (const database of oneDatabase) {
  describe(`who is let in to ${admin} on ${database.name}`, () => {
    let fixture: OperatorFixture;
    before(async () => {
      fixture = await openOperatorFixture(database);
    });
    after(() => fixture.close());

    test('401: every endpoint, without a token, with a wrong one, with keys and sessions of an account', async () => {
      const { live, test: testKey } = fixture.ours;
      const session = await fixture.signInWith(live);
      const before = await fixture.newest();
      const intruders: Partial<Asked>[] = [
        {},
        { headers: { authorization: 'Bearer' } },
        { headers: { authorization: `Bearer ${adminToken}x` } },
        { headers: { authorization: `Bearer ${adminToken.slice(1)}` } },
        { headers: { authorization: `Basic ${adminToken}` } },
        { headers: { authorization: adminToken } },
        { headers: { cookie: `mailproof_session=${'A'.repeat(43)}` } },
        { key: live },
        { key: testKey },
        { session },
      ];
      for (const endpoint of endpointsOf(fixture.ours.accountId)) {
        fixture.time.advance(60_000);
        for (const [n, intruder] of intruders.entries()) {
          // Each comes from elsewhere, so that none is slowed.
          const headers = { 'x-forwarded-for': `198.51.100.${n}`, ...intruder.headers };
          const response = await fixture.ask({ ...endpoint, ...intruder, headers });
          assert.deepEqual(
            [response.statusCode, response.json(), response.headers['www-authenticate']],
            [401, refusal('invalid_admin_token'), 'Bearer'],
            `${endpoint.method} ${endpoint.url} ${JSON.stringify(intruder)}`,
          );
        }
      }
      assert.deepEqual(await fixture.newest(), before, 'nothing was changed');
    });

    test('429: guessing the token is slowed, by Bearer and by sign-in together, and by no success of another key', async () => {
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      const byBearer = (token = 'wrong') =>
        fixture.ask({ url: `${admin}/accounts`, headers: { ...headers, authorization: `Bearer ${token}` } });
      const bySignIn = (body: object) => fixture.ask({ method: 'POST', url: '/session', headers, body });
      const own = { key: fixture.ours.live.apiKey };
      for (let n = 0; n < 2; n += 1) {
        assert.equal((await byBearer()).statusCode, 401);
        assert.equal((await bySignIn({ admin_token: 'wrong' })).statusCode, 401);
        assert.equal((await bySignIn(own)).statusCode, 200);
      }
      assert.equal((await byBearer()).statusCode, 401);
      for (const slowed of [
        await byBearer(),
        await byBearer(adminToken),
        await bySignIn({ admin_token: adminToken }),
      ])
        assert.deepEqual(
          [slowed.statusCode, slowed.json(), slowed.headers['retry-after']],
          [429, refusal('too_many_attempts'), '1'],
        );
      assert.equal((await fixture.ask({ url: `${admin}/accounts`, asOperator: true })).statusCode, 200);
      fixture.time.advance(1_000);
      assert.equal((await byBearer(adminToken)).statusCode, 200);
      assert.equal((await byBearer()).statusCode, 401);
    });

    test("the operator's token and session open nothing under /api/v1", async () => {
      const session = await fixture.signInAsOperator();
      const calls = [
        { url: '/api/v1/account' },
        { url: '/api/v1/account/keys' },
        { method: 'POST', url: '/api/v1/account/keys', body: {} },
        { method: 'POST', url: '/api/v1/email-verification', body: { email: 'jane@example.com' } },
        { method: 'POST', url: '/api/v1/bulk-email-verification', body: { emails: ['jane@example.com'] } },
        { url: `/api/v1/bulk-email-verification/${noRequest}` },
      ] as const;
      for (const call of calls) {
        for (const operator of [{ asOperator: true }, { session }]) {
          const response = await fixture.ask({ ...call, ...operator });
          assert.deepEqual(
            [response.statusCode, response.json()],
            [401, refusal('invalid_api_key')],
            call.url,
          );
        }
      }
    });

    test('an operator session reads, and changes only with its CSRF token and from a page of ours', async () => {
      const session = await fixture.signInAsOperator();
      const { accountId } = fixture.ours;
      const url = `${admin}/accounts/${accountId}/grants`;
      const grant = { method: 'POST', url, session, body: { credits: 1 } } as const;
      assert.equal(
        (await fixture.ask({ url: `${admin}/accounts`, session, csrf: undefined })).statusCode,
        200,
      );
      for (const csrf of [undefined, '', 'x', session.csrfToken.toUpperCase()]) {
        const response = await fixture.ask({ ...grant, csrf });
        assert.deepEqual([response.statusCode, response.json()], [403, refusal('csrf_token_mismatch')]);
      }
      for (const site of ['cross-site', 'same-site']) {
        const response = await fixture.ask({ ...grant, headers: { 'sec-fetch-site': site } });
        assert.deepEqual([response.statusCode, response.json()], [403, refusal('cross_site_request')]);
      }
      assert.equal((await fixture.read<AdminAccount>(`/accounts/${accountId}`)).credits.granted, 100);
      assert.equal((await fixture.ask(grant)).statusCode, 200);
      assert.equal((await fixture.newest()).actor, 'operator');
      const wrongHeader = { ...grant, headers: { authorization: 'Bearer wrong' } };
      assert.equal(
        (await fixture.ask(wrongHeader)).statusCode,
        401,
        'with the header the cookie is not looked at',
      );
    });

    test('signing in as the operator is written down', async () => {
      await fixture.signInAsOperator();
      const { actor, action, subject } = await fixture.newest();
      assert.deepEqual([actor, action, subject], ['operator', 'operator_signed_in', 'operator']);
    });

    test('405 with Allow, 404 beside the paths, and answers that nobody keeps', async () => {
      const allowed = {
        '/accounts': 'GET, POST',
        [`/accounts/${nobody}`]: 'GET, PATCH',
        [`/accounts/${nobody}/grants`]: 'POST',
        [`/accounts/${nobody}/unfreeze`]: 'POST',
        [`/accounts/${nobody}/keys`]: 'GET, POST',
        [`/accounts/${nobody}/keys/x`]: 'PATCH, DELETE',
        [`/accounts/${nobody}/ledger`]: 'GET',
        [`/accounts/${nobody}/tasks`]: 'GET',
        '/health': 'GET',
        '/rests/end': 'POST',
        '/requests/x': 'GET',
        '/audit-log': 'GET',
      };
      for (const [url, allow] of Object.entries(allowed)) {
        const response = await fixture.asked({ method: 'PUT', url, body: {} });
        assert.deepEqual([response.statusCode, response.headers['allow']], [405, allow], url);
        assert.equal(response.headers['cache-control'], 'no-store');
      }
      for (const url of ['', '/', '/accounts/', '/nothing', `/accounts/${nobody}/keys/`, '/requests/']) {
        const headers = { authorization: `Bearer ${adminToken}` };
        const response = await fixture.server.inject({ url: `${admin}${url}`, headers });
        assert.deepEqual([response.statusCode, response.json()], [404, refusal('not_found')], url);
      }
    });

    test('404 account_not_found wherever an account is named', async () => {
      for (const id of [nobody, 'x', "'", 'a%20b', '%00', 'a'.repeat(300)]) {
        for (const { method, url, ...rest } of endpointsOf(id).filter(({ url: path }) => path.includes(id))) {
          const response = await fixture.ask({ method, url, asOperator: true, ...rest });
          const reason = method === 'DELETE' ? 'key_not_found' : 'account_not_found';
          assert.deepEqual([response.statusCode, response.json()], [404, refusal(reason)], url);
        }
      }
    });

    test('400 invalid_request: bodies and queries that are not as described', async () => {
      const { accountId } = fixture.ours;
      const before = await fixture.newest();
      const bodies: [Asked['method'], string, unknown[]][] = [
        [
          'POST',
          '/accounts',
          [
            {},
            { name: '' },
            { name: '   ' },
            { name: 1 },
            { name: 'x'.repeat(201) },
            { name: 'a\0b' },
            { name: '\ud800' },
            { name: 'x', plan: 'free' },
            { name: 'x', credits: -1 },
            { name: 'x', credits: 1.5 },
            { name: 'x', credits: '1' },
            { name: 'x', credits: 1e13 },
            { name: 'x', credits: null },
          ],
        ],
        ['PATCH', `/accounts/${accountId}`, [{}, { plan: 'free' }, { plan: null }, { plan: ['paid'] }]],
        [
          'POST',
          `/accounts/${accountId}/grants`,
          [{}, { credits: 0 }, { credits: -5 }, { credits: 0.5 }, { credits: '5' }, { credits: 1e13 }],
        ],
        [
          'POST',
          `/accounts/${accountId}/unfreeze`,
          [
            {},
            { reason: '' },
            { reason: '  ' },
            { reason: 1 },
            { reason: 'x'.repeat(501) },
            { reason: 'a\0b' },
          ],
        ],
        ['POST', '/rests/end', [{}, { name: '' }, { name: 1 }, { name: 'x'.repeat(256) }, { name: 'a\0b' }]],
        ['POST', `/accounts/${accountId}/keys`, [{ name: '' }, { name: 'x'.repeat(51) }, { mode: 'both' }]],
      ];
      for (const [method, url, wrong] of bodies) {
        for (const body of [...wrong, 'null', '[]', '{', '"x"'])
          await fixture.refused({ ...(method && { method }), url, body }, [400, 'invalid_request']);
      }
      const grant = { method: 'POST', url: `/accounts/${accountId}/grants`, body: { credits: 1 } } as const;
      for (const word of ['a b', '', 'ä', 'x'.repeat(256)])
        await fixture.refused({ ...grant, headers: { 'idempotency-key': word } }, [400, 'invalid_request']);
      const pages = [
        '/accounts',
        '/audit-log',
        `/accounts/${accountId}/ledger`,
        `/accounts/${accountId}/tasks`,
      ];
      const queries = [
        'limit=0',
        'limit=101',
        'limit=x',
        'limit=1&limit=2',
        'limit=',
        'before=',
        'before=%00',
        'before=AAAA',
        'before=MSAy&before=MSAy',
      ];
      for (const page of pages)
        for (const query of queries)
          await fixture.refused({ url: `${page}?${query}` }, [400, 'invalid_request']);
      for (const query of ['hours=0', 'hours=721', 'hours=1.5', 'hours=-1', 'hours=1&hours=2', 'hours='])
        await fixture.refused({ url: `/health?${query}` }, [400, 'invalid_request']);
      for (const query of ['search=%00', 'search=a&search=b', `search=${'x'.repeat(201)}`])
        await fixture.refused({ url: `/accounts?${query}` }, [400, 'invalid_request']);
      assert.deepEqual(await fixture.newest(), before, 'nothing was changed');
    });

    test('503 while the service goes down', async () => {
      const other = await openHttpFixture(database);
      other.overloadGuard.drain();
      for (const endpoint of endpointsOf(nobody)) {
        const response = await other.ask({ ...endpoint, asOperator: true });
        assert.equal(response.statusCode, 503);
      }
      await other.close();
    });
  });
}

test('404: where no token is set there is no admin API, for nobody and with no method', async () => {
  const server = await createWholeServer(createTestParts());
  const credentials = [
    {},
    { authorization: 'Bearer ' },
    { authorization: 'Bearer undefined' },
    { cookie: 'mailproof_session=x' },
  ];
  const urls = [...endpointsOf(nobody).map(({ url }) => url), admin, `${admin}/`, '/%61dmin/v1/accounts'];
  for (const url of urls) {
    for (const headers of credentials) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        const response = await server.inject({ method, url, headers });
        assert.deepEqual(
          [response.statusCode, response.json()],
          [404, refusal('not_found')],
          `${method} ${url}`,
        );
        assert.equal(response.headers['allow'], undefined);
      }
    }
  }
  await server.close();
});
