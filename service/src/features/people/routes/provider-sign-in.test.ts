import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listChanges } from '../../operator/audit-log/list-changes.ts';
import { statement } from '../../../core/store/statement.ts';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { refusal } from '../../../../test/support/http/ask.ts';
import { openHttpFixture } from '../../../../test/support/http/open-http-fixture.ts';
import {
  openOidcFixture,
  publicUrl,
  type OidcFixture,
} from '../../../../test/support/oidc/open-oidc-fixture.ts';
import type { Lie } from '../../../../test/support/oidc/start-provider.ts';

const everySession = statement((db) => db.selectFrom('session').select('id_hash'));

for (const database of oneDatabase) {
  describe(`signing in with an OpenID provider on ${database.name}`, () => {
    let fixture: OidcFixture;
    before(async () => {
      fixture = await openOidcFixture(database, { operators: ['root@example.com', 'sub:boss'] });
    });
    after(() => fixture.close());

    const sessions = async () => (await fixture.store.read.all(everySession, {})).length;

    /** A page that says why not, no session, and nothing left of the visit. */
    async function expectRefused(
      response: Awaited<ReturnType<OidcFixture['tryAs']>>,
      { status, title, before }: { status: number; title: RegExp; before: number },
    ): Promise<void> {
      assert.equal(response.statusCode, status, response.body);
      assert.match(String(response.headers['content-type']), /^text\/html/);
      assert.match(response.body, title);
      assert.match(String(response.headers['content-security-policy']), /default-src 'none'/);
      assert.equal(response.headers['cache-control'], 'no-store');
      assert.doesNotMatch(String(response.headers['set-cookie']), /mailproof_session/);
      assert.equal(await sessions(), before, 'no session was opened');
    }

    test('the page learns which ways there are', async () => {
      const response = await fixture.ask({ url: '/session/options' });
      assert.deepEqual(response.json(), { key: true, provider: { name: 'Example Login' } });
    });

    test('it begins with PKCE, a state and a nonce, and a cookie that other sites do not get', async () => {
      const response = await fixture.ask({ method: 'POST', url: '/session/provider', body: {} });
      const cookie = String(response.headers['set-cookie']);
      assert.match(
        cookie,
        /^__Host-mailproof_sign_in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
      const url = new URL(response.json<{ url: string }>().url);
      assert.ok(url.href.startsWith(`${fixture.provider.issuer}/auth?`));
      const { code_challenge_method, response_type, scope, redirect_uri, ...sent } = Object.fromEntries(
        url.searchParams,
      );
      assert.deepEqual(
        [code_challenge_method, response_type, scope, redirect_uri],
        ['S256', 'code', 'openid email profile', `${publicUrl}/session/callback`],
      );
      for (const random of [sent['state'], sent['nonce'], sent['code_challenge']])
        assert.match(String(random), /^[\w-]{43}$/);
      assert.equal(new Set(Object.values(sent)).size, Object.values(sent).length);
    });

    test('403: another site cannot make a browser begin', async () => {
      const headers = { 'sec-fetch-site': 'cross-site' };
      const response = await fixture.ask({ method: 'POST', url: '/session/provider', body: {}, headers });
      assert.deepEqual([response.statusCode, response.json()], [403, refusal('cross_site_request')]);
    });

    test('303: who is in the list of operators gets to the operator’s pages, by address or subject', async () => {
      for (const login of ['root', 'boss']) {
        const response = await fixture.tryAs(login);
        assert.deepEqual([response.statusCode, response.headers['location']], [303, '/operator']);
        const cookies = [response.headers['set-cookie']].flat().map(String);
        assert.match(cookies[0] ?? '', /^__Host-mailproof_sign_in=; Max-Age=0/);
        assert.match(cookies[1] ?? '', /^mailproof_session=[\w-]{43}; .*HttpOnly; SameSite=Strict; Secure$/);
      }
      const session = await fixture.signInAs('root');
      const state = (await fixture.ask({ url: '/session', session })).json<{ kind: string }>();
      assert.equal(state.kind, 'operator');
      assert.equal((await fixture.ask({ url: '/admin/v1/accounts', session })).statusCode, 200);
      const [entry] = await listChanges({ limit: 1 }, fixture);
      assert.deepEqual(
        [entry?.actor, entry?.action, entry?.detail],
        ['operator', 'operator_signed_in', { subject: 'root' }],
      );
    });

    test('403: an address that the provider has not verified makes nobody the operator', async () => {
      fixture.provider.lie({ kind: 'claims', claims: { email: 'root@example.com', email_verified: false } });
      const before = await sessions();
      await expectRefused(await fixture.tryAs('mallory'), {
        status: 403,
        title: /not in this account/,
        before,
      });
      fixture.provider.lie(undefined);
    });

    test('403: whom nobody has invited does not get in', async () => {
      const before = await sessions();
      await expectRefused(await fixture.tryAs('stranger'), {
        status: 403,
        title: /nobody has invited you/,
        before,
      });
    });

    test('400: without the cookie of the browser that began, with a changed one, or ten minutes later', async () => {
      const { cookie, url } = await fixture.begin();
      const back = await fixture.visit(url, 'root');
      const before = await sessions();
      const over = { status: 400, title: /This sign-in is over/, before };
      await expectRefused(await fixture.comeBack(back, undefined), over);
      const another = await fixture.begin();
      await expectRefused(await fixture.comeBack(back, another.cookie), {
        status: 502,
        title: /cannot be trusted/,
        before,
      });
      const changed = cookie.replace(/=(.)/, (_whole, letter) => `=${letter === 'a' ? 'b' : 'a'}`);
      await expectRefused(await fixture.comeBack(back, changed), over);
      fixture.time.advance(600_000);
      await expectRefused(await fixture.comeBack(back, cookie), over);
    });

    test('503: turned away because the service is busy, the browser comes again by itself, and is signed in', async () => {
      const { cookie, url } = await fixture.begin();
      const back = await fixture.visit(url, 'root');
      const before = await sessions();
      const late = { loopDelayMs: 10_000, storeWaitMs: 0 };
      const judge = (figures: typeof late) => {
        for (let windows = 0; windows < 2; windows += 1) fixture.overloadGuard.judgeWindow(figures);
      };
      judge(late);
      const busy = await fixture.comeBack(back, cookie);
      await expectRefused(busy, { status: 503, title: /Mailproof is busy/, before });
      assert.match(busy.body, /<meta http-equiv="refresh" content="3">/);
      judge({ ...late, loopDelayMs: 0 });
      assert.equal((await fixture.comeBack(back, cookie)).statusCode, 303);
    });

    test('400: the code and the state are good once', async () => {
      const { cookie, url } = await fixture.begin();
      const back = await fixture.visit(url, 'root');
      assert.equal((await fixture.comeBack(back, cookie)).statusCode, 303);
      const before = await sessions();
      await expectRefused(await fixture.comeBack(back, cookie), {
        status: 400,
        title: /finished before/,
        before,
      });
    });

    test('400: where the provider takes a code again, the visit is over all the same', async () => {
      const identity = { issuer: fixture.provider.issuer, subject: 'root', email: 'root@example.com' };
      const visit = {
        state: 's'.repeat(43),
        nonce: 'n',
        verifier: 'v',
        startedAt: fixture.time.wallClock.now(),
      };
      assert.equal((await fixture.people.recognise(identity, visit)).kind, 'operator');
      assert.equal((await fixture.people.recognise(identity, visit)).kind, 'visit_used');
    });

    test('403: cancelling at the provider', async () => {
      const { cookie, url } = await fixture.begin();
      const before = await sessions();
      await expectRefused(await fixture.comeBack(await fixture.visit(url, 'root', true), cookie), {
        status: 403,
        title: /said no/,
        before,
      });
    });

    const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;
    const lies: [string, Lie][] = [
      ['another issuer', { kind: 'claims', claims: { iss: 'https://other.example' } }],
      ['another audience', { kind: 'claims', claims: { aud: 'another-client' } }],
      ['another nonce', { kind: 'claims', claims: { nonce: 'another' } }],
      ['no nonce', { kind: 'claims', claims: { nonce: undefined } }],
      ['an expired token', { kind: 'claims', claims: { iat: 1_000, exp: 2_000 } }],
      ['a token without an end', { kind: 'claims', claims: { exp: undefined } }],
      ['a token from the future', { kind: 'claims', claims: { nbf: inAnHour } }],
      ['a token that is not signed (alg: none)', { kind: 'unsigned' }],
      ['a token that is signed with another key', { kind: 'other_key' }],
      ['no token at all', { kind: 'no_id_token' }],
    ];
    for (const [name, lie] of lies)
      test(`502: the provider lies: ${name}`, async () => {
        const before = await sessions();
        fixture.provider.lie(lie);
        const response = await fixture.tryAs('root');
        fixture.provider.lie(undefined);
        await expectRefused(response, { status: 502, title: /cannot be trusted/, before });
      });

    test('429: after five failures in a row from one client, each further one has to wait', async () => {
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      const { url } = await fixture.begin();
      const back = await fixture.visit(url, 'root');
      for (let n = 0; n < 5; n += 1)
        assert.equal((await fixture.comeBack(back, undefined, headers)).statusCode, 400);
      const response = await fixture.comeBack(back, undefined, headers);
      assert.equal(response.statusCode, 429);
      assert.match(String(response.headers['retry-after']), /^\d+$/);
    });
  });

  describe(`a provider in trouble on ${database.name}`, () => {
    const begin = (fixture: OidcFixture) =>
      fixture.ask({ method: 'POST', url: '/session/provider', body: {} });
    const unavailable = [502, refusal('provider_unavailable')];

    test('502: it calls itself otherwise than the setting does, or sends more than it may', async () => {
      const fixture = await openOidcFixture(database);
      const metadata = { issuer: 'https://other.example' };
      for (const lie of [
        { kind: 'metadata', metadata },
        { kind: 'huge', path: '/.well-known/openid-configuration' },
      ] satisfies Lie[]) {
        fixture.provider.lie(lie);
        const response = await begin(fixture);
        assert.deepEqual([response.statusCode, response.json()], unavailable);
      }
      fixture.provider.lie(undefined);
      assert.equal((await begin(fixture)).statusCode, 200, 'what was wrong is not remembered');
      await fixture.close();
    });

    test('502: it is slow: ten seconds and no longer', async () => {
      const fixture = await openOidcFixture(database);
      fixture.provider.lie({
        kind: 'hang',
        path: '/.well-known/openid-configuration',
        onAsked: () => fixture.providerTime.advance(10_000),
      });
      const response = await begin(fixture);
      assert.deepEqual([response.statusCode, response.json()], unavailable);
      await fixture.close();
    });

    test('502: it is away, before the sign-in and in the middle of it', async () => {
      const fixture = await openOidcFixture(database);
      const { cookie, url } = await fixture.begin();
      const back = await fixture.visit(url, 'root');
      await fixture.provider.close();
      const response = await fixture.comeBack(back, cookie);
      assert.equal(response.statusCode, 502);
      assert.match(response.body, /does not answer/);
      fixture.providerTime.advance(600_000);
      const again = await begin(fixture);
      assert.deepEqual([again.statusCode, again.json()], unavailable);
      await fixture.close().catch(() => undefined);
    });

    test('502: it is at an address that the egress guard forbids', async () => {
      const fixture = await openOidcFixture(database, { egressAllow: [] });
      const response = await begin(fixture);
      assert.deepEqual([response.statusCode, response.json()], unavailable);
      assert.equal(fixture.provider.asked.size, 0, 'no packet was sent to it');
      await fixture.close();
    });

    test('without a provider there is nothing of it, but for the question which ways there are', async () => {
      const fixture = await openHttpFixture(database);
      assert.deepEqual((await fixture.ask({ url: '/session/options' })).json(), {
        key: true,
        provider: null,
      });
      for (const url of ['/session/provider', '/api/v1/account/people', '/api/v1/account/invitations/x']) {
        const response = await fixture.server.inject({ method: 'PUT', url });
        assert.deepEqual([response.statusCode, response.json()], [404, refusal('not_found')], url);
      }
      await fixture.close();
    });
  });

  describe(`MAILPROOF_KEY_SIGN_IN on ${database.name}`, () => {
    test('off: neither a key nor the admin token opens a session, and keys go on working', async () => {
      const fixture = await openOidcFixture(database, { keySignIn: 'off' });
      for (const body of [{ key: fixture.ours.live.apiKey }, { admin_token: 'the-token-of-the-operator' }]) {
        const response = await fixture.ask({ method: 'POST', url: '/session', body });
        assert.deepEqual([response.statusCode, response.json()], [403, refusal('key_sign_in_off')]);
      }
      assert.deepEqual((await fixture.ask({ url: '/session/options' })).json<{ key: boolean }>().key, false);
      const read = await fixture.ask({ url: '/api/v1/account', key: fixture.ours.live });
      assert.equal(read.statusCode, 200);
      await fixture.signInAs('root');
      await fixture.close();
    });
  });
}
