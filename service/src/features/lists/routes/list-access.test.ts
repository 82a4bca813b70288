import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ListRecord } from '@mailproof/client';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { refusal } from '../../../../test/support/http/ask.ts';
import { openHttpFixture, type HttpFixture } from '../../../../test/support/http/open-http-fixture.ts';

const lists = '/api/v1/lists';

for (const database of oneDatabase) {
  describe(`what a list is spared, on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    const created = async ({
      body = 'email\na@x.example\n',
      key = fixture.ours.live,
    } = {}): Promise<string> => {
      const response = await fixture.server.inject({
        method: 'POST',
        url: lists,
        headers: { authorization: `Bearer ${key.apiKey}`, 'content-type': 'text/csv' },
        payload: body,
      });
      assert.equal(response.statusCode, 201, response.body);
      return response.json<ListRecord>().list_id;
    };
    const post = (path: string, body: object = {}) =>
      fixture.ask({ method: 'POST', url: `${lists}/${path}`, key: fixture.ours.live, body });
    const read = (path: string, key = fixture.ours.live) => fixture.ask({ url: `${lists}${path}`, key });

    test('a test key spends no live credits and touches no live list, nor a live key a test list', async () => {
      const before = await fixture.balanceOf(fixture.ours.accountId);
      const ids = { live: await created(), test: await created({ key: fixture.ours.test }) };
      for (const [mine, other] of [
        ['test', 'live'],
        ['live', 'test'],
      ] as const) {
        const url = `${lists}/${ids[other]}`;
        const calls = [
          { url },
          { url: `${url}/rows` },
          { url: `${url}/download` },
          { method: 'PATCH', url, body: { name: 'mine now' } },
          { method: 'POST', url: `${url}/start`, body: {} },
          { method: 'POST', url: `${url}/pause` },
          { method: 'POST', url: `${url}/cancel` },
          { method: 'DELETE', url },
        ] as const;
        for (const call of calls) {
          const answer = await fixture.ask({ ...call, key: fixture.ours[mine] });
          assert.deepEqual([answer.statusCode, answer.json()], [404, refusal('list_not_found')], call.url);
        }
        const page = await fixture.ask({ url: `${lists}?limit=100`, key: fixture.ours[mine] });
        assert.deepEqual([page.body.includes(ids[mine]), page.body.includes(ids[other])], [true, false]);
      }
      for (const mode of ['live', 'test'] as const) {
        const { state, name } = (await read(`/${ids[mode]}`, fixture.ours[mode])).json<ListRecord>();
        assert.deepEqual([state, name], ['surveyed', 'List']);
      }
      assert.deepEqual(await fixture.balanceOf(fixture.ours.accountId), before);
    });

    test('a key with a cap gets around it by no test key that it makes', async () => {
      const made = async (body: object, apiKey: string) => {
        const headers = { authorization: `Bearer ${apiKey}` };
        const url = '/api/v1/account/keys';
        return (await fixture.ask({ method: 'POST', url, headers, body })).json<{ api_key: string }>();
      };
      const capped = await made({ credits_per_day: 1 }, fixture.ours.live.apiKey);
      const test = await made({ mode: 'test' }, capped.api_key);
      const id = await created({ body: 'email\na@x.example\nb@x.example\n' });
      const start = (apiKey: string) =>
        fixture.ask({
          method: 'POST',
          url: `${lists}/${id}/start`,
          headers: { authorization: `Bearer ${apiKey}` },
          body: {},
        });
      assert.deepEqual((await start(capped.api_key)).json(), refusal('key_limit_reached'));
      assert.deepEqual((await start(test.api_key)).json(), refusal('list_not_found'));
    });

    test('400 invalid_request: a start with a slip in a name starts nothing', async () => {
      const id = await created();
      const answer = await post(`${id}/start`, { frist: 1 });
      assert.deepEqual([answer.statusCode, answer.json()], [400, refusal('invalid_request')]);
      assert.equal((await read(`/${id}`)).json<ListRecord>().state, 'surveyed');
    });

    test('204: DELETE, and 200: pause, with a content type and no body', async () => {
      const id = await created();
      await post(`${id}/start`);
      const bare = (method: 'POST' | 'DELETE', path: string) =>
        fixture.server.inject({
          method,
          url: `${lists}/${path}`,
          headers: {
            authorization: `Bearer ${fixture.ours.live.apiKey}`,
            'content-type': 'application/json',
          },
        });
      assert.equal((await bare('POST', `${id}/pause`)).statusCode, 200);
      assert.equal((await bare('POST', `${id}/start`)).statusCode, 400, 'where a body is wanted');
      assert.equal((await bare('DELETE', id)).statusCode, 204);
      assert.equal((await read(`/${id}`)).statusCode, 404);
    });
  });
}
