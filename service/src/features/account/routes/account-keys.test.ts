import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CreatedKey, KeyList } from '@mailproof/client';
import type { IssuedKey } from '../../../core/keys/issue-key.ts';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { openHttpFixture, type HttpFixture } from '../../../../test/support/http/open-http-fixture.ts';
import { refusal } from '../../../../test/support/http/ask.ts';

const account = '/api/v1/account';

for (const database of oneDatabase) {
  describe(`${account}/keys on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    const read = async <T>(url: string, key: IssuedKey = fixture.ours.live): Promise<T> => {
      const response = await fixture.ask({ url: `${account}${url}`, key });
      assert.equal(response.statusCode, 200, response.body);
      return response.json<T>();
    };
    const createKey = async (body: object, key: IssuedKey = fixture.ours.live) =>
      fixture.ask({ method: 'POST', url: `${account}/keys`, key, body });

    test('keys: created once, named, listed without the secret, deleted', async () => {
      const made = await createKey({ name: 'Web shop 🛒' });
      assert.equal(made.statusCode, 201);
      const { api_key, ...key } = made.json<CreatedKey>();
      assert.match(api_key, /^mp_live_/);
      assert.deepEqual([key.name, key.mode], ['Web shop 🛒', 'live']);
      const made2 = (await createKey({ mode: 'test' })).json<CreatedKey>();
      assert.deepEqual([made2.name, made2.mode, made2.api_key.slice(0, 8)], ['Test key', 'test', 'mp_test_']);

      const { keys } = await read<KeyList>('/keys');
      assert.ok(!JSON.stringify(keys).includes(api_key));
      assert.deepEqual(
        keys.find(({ key_id }) => key_id === key.key_id),
        { ...key, current: false },
      );
      assert.deepEqual(
        keys.filter(({ current }) => current).map(({ key_id }) => key_id),
        [fixture.ours.live.keyId],
      );

      const url = `${account}/keys/${key.key_id}`;
      const named = await fixture.ask({
        method: 'PATCH',
        url,
        key: fixture.ours.live,
        body: { name: '名'.repeat(50) },
      });
      assert.deepEqual(
        [named.statusCode, named.json()],
        [200, { ...key, name: '名'.repeat(50), current: false }],
      );
      const asIt = { headers: { authorization: `Bearer ${api_key}` } };
      assert.equal((await fixture.ask({ url: account, ...asIt })).statusCode, 200);
      const gone = await fixture.ask({ method: 'DELETE', url, key: fixture.ours.live });
      assert.equal(gone.statusCode, 204);
      fixture.time.advance(950);
      assert.equal((await fixture.ask({ url: account, ...asIt })).statusCode, 401);
      assert.ok(!(await read<KeyList>('/keys')).keys.some(({ key_id }) => key_id === key.key_id));
      for (const method of ['DELETE', 'PATCH'] as const) {
        const again = await fixture.ask({ method, url, key: fixture.ours.live, body: { name: 'x' } });
        assert.deepEqual([again.statusCode, again.json()], [404, refusal('key_not_found')]);
      }
    });

    test('403 live_key_required: a test key makes and deletes test keys only', async () => {
      const { live, test: testKey } = fixture.ours;
      for (const body of [{}, { mode: 'live' }]) {
        const response = await createKey(body, testKey);
        assert.deepEqual([response.statusCode, response.json()], [403, refusal('live_key_required')]);
      }
      const url = `${account}/keys/${live.keyId}`;
      const response = await fixture.ask({ method: 'DELETE', url, key: testKey });
      assert.deepEqual([response.statusCode, response.json()], [403, refusal('live_key_required')]);
      const made = (await createKey({ mode: 'test' }, testKey)).json<CreatedKey>();
      const gone = await fixture.ask({
        method: 'DELETE',
        url: `${account}/keys/${made.key_id}`,
        key: testKey,
      });
      assert.equal(gone.statusCode, 204);
    });

    test('409 too_many_keys: a hundred, however many ask at once', async () => {
      const { live } = fixture.theirs;
      const answers = await Promise.all(Array.from({ length: 110 }, () => createKey({}, live)));
      const made = answers.filter(({ statusCode }) => statusCode === 201);
      const refusals = answers.filter(({ statusCode }) => statusCode !== 201);
      assert.equal(made.length, 98);
      for (const refused of refusals)
        assert.deepEqual([refused.statusCode, refused.json()], [409, refusal('too_many_keys')]);
      assert.equal((await read<KeyList>('/keys', live)).keys.length, 100);
      const { key_id } = made[0]!.json<CreatedKey>();
      await fixture.ask({ method: 'DELETE', url: `${account}/keys/${key_id}`, key: live });
      assert.equal((await createKey({}, live)).statusCode, 201);
    });
  });
}
