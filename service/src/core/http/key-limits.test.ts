import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  keyScopes,
  type AccountKey,
  type AdminAccount,
  type CreatedKey,
  type KeyList,
  type KeyScope,
} from '@mailproof/client';
import { oneDatabase } from '../../../test/support/databases.ts';
import { refusal } from '../../../test/support/http/ask.ts';
import {
  openHttpFixture,
  type Asked,
  type HttpFixture,
} from '../../../test/support/http/open-http-fixture.ts';

const account = '/api/v1/account';
const keysUrl = `${account}/keys`;
const bulk = '/api/v1/bulk-email-verification';

for (const database of oneDatabase) {
  describe(`the limits of a key on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    const as = (apiKey: string, from?: string): Pick<Asked, 'headers'> => ({
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      },
    });
    const createAs = (maker: Partial<Asked>, body: object) =>
      fixture.ask({ method: 'POST', url: keysUrl, body, ...maker });
    const create = async (body: object, maker: Partial<Asked> = { key: fixture.ours.live }) => {
      const response = await createAs(maker, body);
      assert.equal(response.statusCode, 201, response.body);
      return response.json<CreatedKey>();
    };
    const change = (keyId: string, body: object, changer: Partial<Asked> = { key: fixture.ours.live }) =>
      fixture.ask({ method: 'PATCH', url: `${keysUrl}/${keyId}`, body, ...changer });
    const listed = async (keyId: string) =>
      (await fixture.ask({ url: keysUrl, key: fixture.ours.live }))
        .json<KeyList>()
        .keys.find(({ key_id }) => key_id === keyId);

    test('are shown as they were asked for, and null where there are none', async () => {
      const limits = {
        scopes: ['verify', 'account:read'],
        expires_at: '2030-01-01T00:00:00.000Z',
        allowed_ips: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'],
        credits_per_day: 500,
      };
      const { api_key, ...made } = await create({ name: 'shop', ...limits });
      const unused = { last_used: null, credits_used: 0, credits_today: 0 };
      assert.deepEqual(made, { ...made, ...limits, ...unused });
      assert.deepEqual(await listed(made.key_id), { ...made, current: false });
      const plain = await create({});
      assert.deepEqual(
        [plain.scopes, plain.expires_at, plain.allowed_ips, plain.credits_per_day, plain.credits_today],
        [null, null, null, null, null],
      );
      assert.match(api_key, /^mp_live_/);
    });

    test('400 invalid_request: a limit that cannot be meant', async () => {
      const nonsense = [
        { scopes: [] },
        { scopes: ['everything'] },
        { scopes: 'verify' },
        { expires_at: '2020-01-01T00:00:00Z' },
        { expires_at: 'tomorrow' },
        { expires_at: '2030-13-01' },
        { allowed_ips: [] },
        { allowed_ips: ['192.0.2.1/24'] },
        { allowed_ips: ['192.0.2.0/24 10.0.0.0/8'] },
        { allowed_ips: ['example.com'] },
        { allowed_ips: Array.from({ length: 51 }, (_, n) => `192.0.2.${n}`) },
        { credits_per_day: 0 },
        { credits_per_day: 1.5 },
        { credits_per_day: 1e15 },
        { mode: 'test', credits_per_day: 5 },
        { credit_per_day: 5 },
      ];
      const { key_id } = await create({});
      for (const body of nonsense) {
        const made = await createAs({ key: fixture.ours.live }, body);
        assert.deepEqual(
          [made.statusCode, made.json()],
          [400, refusal('invalid_request')],
          JSON.stringify(body),
        );
        if ('mode' in body) continue;
        const changed = await change(key_id, body);
        assert.deepEqual([changed.statusCode, changed.json()], [400, refusal('invalid_request')]);
      }
      assert.equal((await change(key_id, {})).statusCode, 400, 'a change that changes nothing');
    });

    test('403 insufficient_scope: every endpoint asks for the scope that it is described with', async () => {
      const only = new Map<KeyScope, string>();
      const without = new Map<KeyScope, string>();
      for (const scope of keyScopes) {
        only.set(scope, (await create({ scopes: [scope] })).api_key);
        without.set(scope, (await create({ scopes: keyScopes.filter((one) => one !== scope) })).api_key);
      }
      const asked = new Set<string>();
      for (const { method, path, scope } of await operationsWithKey(fixture)) {
        asked.add(scope);
        const sent = (apiKey: string | undefined) =>
          fixture.server.inject({
            method,
            url: path.replaceAll(/\{\w+\}/g, 'x'),
            headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          });
        const refused = await sent(without.get(scope));
        assert.deepEqual(
          [refused.statusCode, refused.body],
          [403, JSON.stringify(refusal('insufficient_scope'))],
          `${method} ${path}`,
        );
        const { statusCode, body } = await sent(only.get(scope));
        assert.ok(statusCode !== 401 && statusCode !== 403, `${method} ${path}: ${body}`);
      }
      assert.deepEqual([...asked].sort(), [...keyScopes].sort());
    });

    test('a changed limit holds within a second, and null takes it away', async () => {
      const { api_key, key_id } = await create({});
      const verify = () =>
        fixture.ask({
          method: 'POST',
          url: '/api/v1/email-verification',
          body: { email: 'a@example.com' },
          ...as(api_key),
        });
      assert.equal((await verify()).statusCode, 200);
      const changed = await change(key_id, { scopes: ['tasks'], name: 'narrow' });
      const { scopes, name } = changed.json<AccountKey>();
      assert.deepEqual([changed.statusCode, scopes, name], [200, ['tasks'], 'narrow']);
      fixture.time.advance(950);
      assert.equal((await verify()).statusCode, 403);
      assert.deepEqual((await change(key_id, { scopes: null })).json<AccountKey>().scopes, null);
      fixture.time.advance(950);
      assert.equal((await verify()).statusCode, 200);
    });

    test('401: outside its blocks a key cannot be told from none', async () => {
      const { api_key } = await create({ allowed_ips: ['192.0.2.0/24', '2001:db8:1:2:3::/80'] });
      const none = await fixture.ask({ url: account, headers: { 'x-forwarded-for': '198.51.100.1' } });
      for (const from of ['198.51.100.1', '2001:db8:1:2:4::1', undefined]) {
        const refused = await fixture.ask({ url: account, ...as(api_key, from) });
        assert.deepEqual([refused.statusCode, refused.body], [401, none.body]);
        const visible = (headers: object) => Object.keys(headers).sort();
        assert.deepEqual(visible(refused.headers), visible(none.headers));
      }
      for (const from of ['192.0.2.9', '2001:db8:1:2:3::1'])
        assert.equal((await fixture.ask({ url: account, ...as(api_key, from) })).statusCode, 200);
      // Whoever is not a trusted proxy names nobody.
      const forged = await fixture.ask({ url: account, ...as(api_key, '192.0.2.9, 198.51.100.1') });
      assert.equal(forged.statusCode, 401);
    });

    test('401: an expired key stops at its time, to the moment, and so do its sessions', async () => {
      const now = fixture.time.wallClock.now();
      const made = await create({ expires_at: new Date(now + 60_000).toISOString() });
      const session = await fixture.signIn({ key: made.api_key });
      fixture.time.advance(59_999);
      assert.equal((await fixture.ask({ url: account, ...as(made.api_key) })).statusCode, 200);
      fixture.time.advance(1);
      const expired = await fixture.ask({ url: account, ...as(made.api_key) });
      assert.deepEqual([expired.statusCode, expired.json()], [401, refusal('invalid_api_key')]);
      fixture.time.advance(900);
      assert.equal((await fixture.ask({ url: account, session })).statusCode, 401);
    });

    test('a session has the limits of the key it was opened with', async () => {
      const { api_key, key_id } = await create({ scopes: ['account:read'], allowed_ips: ['192.0.2.0/24'] });
      const elsewhere = await fixture.ask({ method: 'POST', url: '/session', body: { key: api_key } });
      assert.deepEqual([elsewhere.statusCode, elsewhere.json()], [401, refusal('invalid_key')]);
      const there = { 'x-forwarded-for': '192.0.2.1' };
      const session = await fixture.signIn({ key: api_key }, there);
      assert.equal((await fixture.ask({ url: account, session, headers: there })).statusCode, 200);
      assert.equal((await fixture.ask({ url: account, session })).statusCode, 401);
      assert.equal((await fixture.ask({ url: '/session', session })).statusCode, 401);
      const made = await createAs({ session, headers: there }, {});
      assert.deepEqual([made.statusCode, made.json()], [403, refusal('insufficient_scope')]);
      await change(key_id, { scopes: ['verify'] });
      fixture.time.advance(950);
      assert.equal((await fixture.ask({ url: account, session, headers: there })).statusCode, 403);
      const again = await fixture.ask({
        method: 'POST',
        url: '/session',
        body: { key: api_key },
        headers: there,
      });
      assert.deepEqual([again.statusCode, again.json()], [403, refusal('insufficient_scope')]);
    });

    test('403 insufficient_scope: a limited key gives no other what it does not have', async () => {
      const scopes = ['verify', 'account:write'];
      const own = {
        scopes,
        expires_at: new Date(fixture.time.wallClock.now() + 3_600_000).toISOString(),
        allowed_ips: ['127.0.0.0/8'],
      };
      const { api_key, key_id } = await create(own);
      const maker = as(api_key);
      const wider = [
        { ...own, scopes: ['verify', 'tasks'] },
        { ...own, scopes: null },
        { ...own, expires_at: null },
        { ...own, expires_at: '2030-01-01T00:00:00Z' },
        { ...own, allowed_ips: null },
        { ...own, allowed_ips: ['126.0.0.0/7'] },
        { ...own, allowed_ips: ['127.0.0.1', '192.0.2.1'] },
      ];
      const within = { ...own, scopes: ['verify'], allowed_ips: ['127.0.0.0/16'], credits_per_day: 5 };
      const child = await create(within, maker);
      for (const body of wider) {
        const made = await createAs(maker, body);
        assert.deepEqual([made.statusCode, made.json()], [403, refusal('insufficient_scope')]);
        for (const target of [child.key_id, key_id]) {
          const changed = await change(target, body, maker);
          assert.deepEqual([changed.statusCode, changed.json()], [403, refusal('insufficient_scope')]);
        }
      }
      const { keyId: full } = fixture.ours.live;
      for (const answer of [
        await change(full, { name: 'x' }, maker),
        await change(full, { scopes: ['verify'] }, maker),
        await fixture.ask({ method: 'DELETE', url: `${keysUrl}/${full}`, ...maker }),
      ])
        assert.deepEqual([answer.statusCode, answer.json()], [403, refusal('insufficient_scope')]);
      assert.equal((await change(child.key_id, { credits_per_day: null }, maker)).statusCode, 200);
      const gone = await fixture.ask({ method: 'DELETE', url: `${keysUrl}/${child.key_id}`, ...maker });
      assert.equal(gone.statusCode, 204);
    });

    test('403 insufficient_scope: a key with a cap makes test keys only, and cannot lift its own', async () => {
      const { api_key, key_id } = await create({ credits_per_day: 5 });
      const maker = as(api_key);
      for (const answer of [
        await createAs(maker, {}),
        await createAs(maker, { credits_per_day: 5 }),
        await change(key_id, { credits_per_day: null }, maker),
        await change(key_id, { credits_per_day: 6 }, maker),
      ])
        assert.deepEqual([answer.statusCode, answer.json()], [403, refusal('insufficient_scope')]);
      await create({ mode: 'test' }, maker);
      assert.equal((await change(key_id, { name: 'capped' }, maker)).statusCode, 200);
    });

    test('403 live_key_required: a test key changes neither the limits nor the name of a live one', async () => {
      const changed = await change(
        fixture.ours.live.keyId,
        { scopes: ['verify'] },
        { key: fixture.ours.test },
      );
      assert.deepEqual([changed.statusCode, changed.json()], [403, refusal('live_key_required')]);
      const named = await change(fixture.ours.live.keyId, { name: 'mine' }, { key: fixture.ours.test });
      assert.deepEqual([named.statusCode, named.json()], [403, refusal('live_key_required')]);
    });

    test('403 insufficient_scope: a limited key does not cut down a stronger one', async () => {
      const { api_key } = await create({ scopes: ['account:write'] });
      const stronger = await create({ scopes: ['account:write', 'verify'] });
      const changed = await change(stronger.key_id, { scopes: ['account:write'] }, as(api_key));
      assert.deepEqual([changed.statusCode, changed.json()], [403, refusal('insufficient_scope')]);
    });

    test('403 insufficient_scope: a key with all scopes and a cap, a network or an end deletes no stronger one', async () => {
      const limits = [
        { credits_per_day: 5 },
        { allowed_ips: ['127.0.0.0/8'] },
        { expires_at: new Date(fixture.time.wallClock.now() + 3_600_000).toISOString() },
      ];
      for (const limit of limits) {
        const { api_key, key_id } = await create(limit);
        const url = `${keysUrl}/${fixture.ours.live.keyId}`;
        const refused = await fixture.ask({ method: 'DELETE', url, ...as(api_key) });
        assert.deepEqual([refused.statusCode, refused.json()], [403, refusal('insufficient_scope')]);
        const itself = await fixture.ask({ method: 'DELETE', url: `${keysUrl}/${key_id}`, ...as(api_key) });
        assert.equal(itself.statusCode, 204);
      }
    });

    test('404 key_not_found: of another account', async () => {
      const changed = await change(fixture.theirs.live.keyId, { scopes: ['verify'] });
      assert.deepEqual([changed.statusCode, changed.json()], [404, refusal('key_not_found')]);
    });

    test('429 key_limit_reached: until midnight, while the account has credits', async () => {
      const { api_key, key_id } = await create({ credits_per_day: 5 });
      const task = (emails: string[]) =>
        fixture.ask({ method: 'POST', url: bulk, body: { emails }, ...as(api_key) });
      const three = ['a@example.com', 'b@example.com', 'c@example.com'];
      assert.equal((await task(three)).statusCode, 201);
      const refused = await task(three);
      const left = 86_400_000 - (fixture.time.wallClock.now() % 86_400_000);
      assert.deepEqual(
        [refused.statusCode, refused.json(), refused.headers['retry-after']],
        [429, refusal('key_limit_reached'), String(Math.ceil(left / 1_000))],
      );
      // Two of the four go back at once: one address is checked.
      assert.equal((await task(['a@example.com', 'a@example.com'])).statusCode, 201);
      assert.equal((await listed(key_id))?.credits_today, 4);
      fixture.time.advance(left);
      assert.equal((await listed(key_id))?.credits_today, 0);
      assert.equal((await task(three)).statusCode, 201);
    });

    test('the operator sets the rate of an account, within a second, and takes it back', async () => {
      const url = `/admin/v1/accounts/${fixture.theirs.accountId}`;
      const setRate = async (requests_per_minute: number | null) => {
        const body = { requests_per_minute };
        const answer = await fixture.ask({ method: 'PATCH', url, body, asOperator: true });
        assert.deepEqual(
          [answer.statusCode, answer.json<AdminAccount>().requests_per_minute],
          [200, requests_per_minute],
        );
        fixture.time.advance(950);
      };
      const read = () => fixture.ask({ url: account, key: fixture.theirs.live });
      assert.equal((await read()).headers['ratelimit'], undefined);
      await setRate(2);
      const answers = [await read(), await read(), await read()];
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [200, 200, 429],
      );
      assert.deepEqual(answers[2]?.json(), refusal('rate_limited'));
      await setRate(null);
      assert.equal((await read()).statusCode, 200);
      const nothing = await fixture.ask({ method: 'PATCH', url, body: {}, asOperator: true });
      assert.deepEqual([nothing.statusCode, nothing.json()], [400, refusal('invalid_request')]);
    });

    test('the operator changes the limits of any key', async () => {
      const { keyId } = fixture.theirs.test;
      const url = `/admin/v1/accounts/${fixture.theirs.accountId}/keys/${keyId}`;
      const changed = await fixture.ask({
        method: 'PATCH',
        url,
        body: { scopes: ['lists'] },
        asOperator: true,
      });
      assert.deepEqual([changed.statusCode, changed.json<AccountKey>().scopes], [200, ['lists']]);
      const elsewhere = `/admin/v1/accounts/${fixture.ours.accountId}/keys/${keyId}`;
      const missed = await fixture.ask({
        method: 'PATCH',
        url: elsewhere,
        body: { scopes: null },
        asOperator: true,
      });
      assert.deepEqual([missed.statusCode, missed.json()], [404, refusal('key_not_found')]);
    });
  });
}

type Operation = { method: NonNullable<Asked['method']>; path: string; scope: KeyScope };
type Described = {
  security?: Record<string, KeyScope[]>[];
  responses: Record<string, unknown>;
};

/** By the OpenAPI document: every call that a key is good for, with the one scope it needs. */
async function operationsWithKey({ server }: HttpFixture): Promise<Operation[]> {
  const { paths, components } = (await server.inject('/openapi.json')).json<{
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, unknown> };
  }>();
  const tells = (responses: Record<string, unknown>, status: string, reason: string) => {
    const [, name = ''] = /schemas\/(\w+)/.exec(JSON.stringify(responses[status] ?? {})) ?? [];
    return JSON.stringify(components.schemas[name] ?? {}).includes(`"${reason}"`);
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security = [], responses }]) => {
      const scopes = security.flatMap(({ apiKey = [] }) => apiKey);
      if (scopes.length > 0) {
        assert.ok(tells(responses, '403', 'insufficient_scope'), `${method} ${path}`);
        assert.ok(tells(responses, '429', 'rate_limited'), `${method} ${path}`);
      }
      return scopes.map((scope) => ({ path, scope, method: method.toUpperCase() as Operation['method'] }));
    }),
  );
}
