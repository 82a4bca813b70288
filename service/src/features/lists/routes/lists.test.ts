import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ListPage, ListRecord, ListRowPage } from '@mailproof/client';
import { oneDatabase } from '../../../../test/support/databases.ts';
import {
  openHttpFixture,
  sandboxAddressesPerHour,
  type HttpFixture,
} from '../../../../test/support/http/open-http-fixture.ts';
import { refusal } from '../../../../test/support/http/ask.ts';

const lists = '/api/v1/lists';
const someId = '3f2c8a9e-5b1d-4c7e-9a64-0d7e1b2c3f45';
const file = 'name,email\nA,a@x.example\nB,b@x.example\nC,a@x.example\n';

for (const database of oneDatabase) {
  describe(`${lists} on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    type Upload = {
      body?: string;
      type?: string;
      query?: string;
      headers?: Record<string, string>;
      key?: typeof fixture.ours.live;
    };
    const upload = ({
      body = file,
      type = 'text/csv',
      query = '',
      headers = {},
      key = fixture.ours.live,
    }: Upload = {}) =>
      fixture.server.inject({
        method: 'POST',
        url: `${lists}${query}`,
        headers: { authorization: `Bearer ${key.apiKey}`, 'content-type': type, ...headers },
        payload: body,
      });
    const created = async (more: Upload = {}): Promise<string> => {
      const response = await upload(more);
      assert.equal(response.statusCode, 201, response.body);
      return response.json<ListRecord>().list_id;
    };
    const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
      fixture.ask({ method: 'POST', url: `${lists}/${path}`, key: fixture.ours.live, body, headers });
    const read = (path: string, key = fixture.ours.live) => fixture.ask({ url: `${lists}${path}`, key });

    test('429: a test key whose account has used up its hour in the sandbox; live keys go on', async () => {
      const key = fixture.theirs.test;
      const rows = (count: number) => Array.from({ length: count }, (_, n) => `a${n}@x.example`).join('\n');
      await created({ body: rows(sandboxAddressesPerHour - 1), key });
      const tooLarge = await upload({ body: rows(2), key });
      assert.equal(tooLarge.statusCode, 413, tooLarge.body);
      await created({ body: rows(1), key });
      const refused = await upload({ body: rows(1), key });
      assert.equal(refused.statusCode, 429);
      assert.equal(refused.body, '{"status":"error","reason":"insufficient_credits"}');
      assert.equal(refused.headers['retry-after'], '3600');
      await created({ body: rows(2), key: fixture.theirs.live });
      await created({ body: rows(2), key: fixture.ours.test });
    });

    const endpoints = [
      { method: 'GET', url: lists },
      { method: 'GET', url: `${lists}/${someId}` },
      { method: 'PATCH', url: `${lists}/${someId}`, body: { name: 'x' } },
      { method: 'DELETE', url: `${lists}/${someId}` },
      { method: 'GET', url: `${lists}/${someId}/rows` },
      { method: 'GET', url: `${lists}/${someId}/rows/1` },
      { method: 'GET', url: `${lists}/${someId}/download` },
      { method: 'POST', url: `${lists}/${someId}/start`, body: {} },
      { method: 'POST', url: `${lists}/${someId}/pause`, body: {} },
      { method: 'POST', url: `${lists}/${someId}/resume`, body: {} },
      { method: 'POST', url: `${lists}/${someId}/cancel`, body: {} },
    ] as const;

    test('401: every endpoint without a key', async () => {
      for (const endpoint of endpoints) {
        const response = await fixture.ask(endpoint);
        assert.deepEqual(
          [response.statusCode, response.json()],
          [401, refusal('invalid_api_key')],
          endpoint.url,
        );
      }
      const response = await fixture.server.inject({ method: 'POST', url: lists, payload: file });
      assert.deepEqual([response.statusCode, response.json()], [401, refusal('invalid_api_key')]);
    });

    test('404: an unknown list, a malformed id and another account’s list cannot be told apart', async () => {
      const theirs = await created({ key: fixture.theirs.live });
      for (const id of [someId, 'x', theirs]) {
        for (const { method, url, ...rest } of endpoints.slice(1)) {
          const response = await fixture.ask({
            method,
            url: url.replace(someId, id),
            ...rest,
            key: fixture.ours.live,
          });
          assert.deepEqual(
            [response.statusCode, response.json()],
            [404, refusal('list_not_found')],
            `${method} ${url}`,
          );
        }
      }
    });

    test('201: uploaded three times at once under one key it is one list', async () => {
      const headers = { 'idempotency-key': 'three-at-once' };
      const responses = await Promise.all(Array.from({ length: 3 }, () => upload({ headers })));
      const ids = responses.map((response) => response.json<ListRecord>().list_id);
      assert.deepEqual(
        responses.map(({ statusCode }) => statusCode),
        [201, 201, 201],
      );
      assert.equal(new Set(ids).size, 1);
    });

    test('202, 409: started twice at once it is started once, and its credits are reserved once', async () => {
      const id = await created();
      const before = await fixture.balanceOf(fixture.ours.accountId);
      const responses = await Promise.all(Array.from({ length: 4 }, () => post(`${id}/start`)));
      assert.deepEqual(responses.map(({ statusCode }) => statusCode).sort(), [202, 409, 409, 409]);
      await post(`${id}/cancel`);
      assert.deepEqual(await fixture.balanceOf(fixture.ours.accountId), before);
    });

    test('201: a file as the body is surveyed, and nothing is charged', async () => {
      const response = await upload({ query: '?name=My%20list' });
      assert.equal(response.statusCode, 201);
      assert.equal(response.headers['x-credits-used'], '0');
      const record = response.json<ListRecord>();
      assert.deepEqual(
        [
          record.name,
          record.state,
          record.rows,
          record.addresses,
          record.duplicates,
          record.column,
          record.credits_needed,
        ],
        ['My list', 'surveyed', 3, 2, 1, 1, 2],
      );
      assert.deepEqual(record.columns[1], {
        index: 1,
        name: 'email',
        samples: ['a@x.example', 'b@x.example', 'a@x.example'],
      });
    });

    test('201: domains one slip away from a large provider are told before anything is charged', async () => {
      const body =
        'email\nann@gmial.com\nbo@gmail.com\nann@gmial.com\ncy@hotmail.con\ndee@x.example\nnobody@\n';
      const record = (await upload({ body })).json<ListRecord>();
      assert.deepEqual(record.suggestions, [
        { domain: 'gmial.com', did_you_mean: 'gmail.com', rows: 2 },
        { domain: 'hotmail.con', did_you_mean: 'hotmail.com', rows: 1 },
      ]);
      assert.deepEqual((await read(`/${record.list_id}`)).json<ListRecord>().suggestions, record.suggestions);
      assert.deepEqual((await upload()).json<ListRecord>().suggestions, []);
    });

    test('200: another column has suggestions of its own', async () => {
      const id = await created({ body: 'email,home\nann@gmial.com,ann@yaho.com\n' });
      const url = `${lists}/${id}`;
      const body = { column: 'home' };
      const changed = await fixture.ask({ method: 'PATCH', url, key: fixture.ours.live, body });
      assert.deepEqual(changed.json<ListRecord>().suggestions, [
        { domain: 'yaho.com', did_you_mean: 'yahoo.com', rows: 1 },
      ]);
    });

    test('201: a list says which key uploaded it, by its name', async () => {
      const { keyId } = fixture.ours.live;
      const url = `/api/v1/account/keys/${keyId}`;
      await fixture.ask({ method: 'PATCH', url, key: fixture.ours.live, body: { name: 'Newsletter' } });
      const record = (await upload()).json<ListRecord>();
      assert.equal(record.created_by, 'Newsletter');
      const page = (await read('?limit=100')).json<ListPage>().lists;
      assert.equal(page.find((one) => one.list_id === record.list_id)?.created_by, 'Newsletter');
    });

    test('201: a form with the field `file`', async () => {
      const body = [
        '--b',
        'Content-Disposition: form-data; name="file"; filename="l.csv"',
        'Content-Type: text/csv',
        '',
        file,
        '--b--',
        '',
      ].join('\r\n');
      const response = await upload({ body, type: 'multipart/form-data; boundary=b' });
      assert.deepEqual([response.statusCode, response.json<ListRecord>().addresses], [201, 2]);
      const empty = await upload({ body: '--b--\r\n', type: 'multipart/form-data; boundary=b' });
      assert.deepEqual([empty.statusCode, empty.json<{ reason: string }>().reason], [400, 'invalid_list']);
    });

    test('400, 413, 415: what is no list is refused with what to do', async () => {
      const said = async (more: Upload) => {
        const response = await upload(more);
        const { reason, detail } = response.json<{ reason: string; detail: string }>();
        assert.ok(detail.length > 20, detail);
        return [response.statusCode, reason];
      };
      assert.deepEqual(await said({ body: 'name,city\nA,B\n' }), [400, 'invalid_list']);
      assert.deepEqual(await said({ body: '%PDF-1.4' }), [415, 'unsupported_file']);
      assert.deepEqual(await said({ body: '{}', type: 'application/json' }), [415, 'unsupported_file']);
      assert.deepEqual(await said({ body: 'a@x.example\n'.repeat(6_000) }), [413, 'list_too_large']);
    });

    test('202: started, it reserves; 409 a second time; 429 without credits; the rest returns when it is cancelled', async () => {
      const id = await created();
      const before = await fixture.balanceOf(fixture.ours.accountId);
      const started = await post(`${id}/start`);
      assert.deepEqual([started.statusCode, started.json<ListRecord>().state], [202, 'running']);
      assert.equal(started.headers['x-credits-used'], '2');
      assert.deepEqual(await fixture.balanceOf(fixture.ours.accountId), {
        ...before,
        available: before.available - 2,
        reserved: before.reserved + 2,
      });
      const again = await post(`${id}/start`);
      assert.deepEqual([again.statusCode, again.json()], [409, refusal('wrong_list_state')]);
      const many = await created({
        body: Array.from({ length: before.available }, (_, n) => `p${n}@x.example`).join('\n'),
      });
      const short = await post(`${many}/start`);
      assert.deepEqual([short.statusCode, short.json()], [429, refusal('insufficient_credits')]);
      assert.equal((await post(`${id}/pause`)).json<ListRecord>().state, 'paused');
      assert.equal((await post(`${id}/resume`)).json<ListRecord>().state, 'running');
      assert.equal((await post(`${id}/cancel`)).json<ListRecord>().state, 'cancelled');
      assert.deepEqual(await fixture.balanceOf(fixture.ours.accountId), before);
      assert.equal(
        (await fixture.ask({ method: 'DELETE', url: `${lists}/${id}`, key: fixture.ours.live })).statusCode,
        204,
      );
      assert.equal((await read(`/${id}`)).statusCode, 404);
    });

    test('an Idempotency-Key makes upload and start safe to repeat', async () => {
      const key = { 'idempotency-key': `upload-${database.name}` };
      const first = await created({ headers: key });
      assert.equal(await created({ headers: key }), first);
      const other = await upload({ headers: key, body: 'email\nother@x.example\n' });
      assert.deepEqual([other.statusCode, other.json()], [422, refusal('idempotency_mismatch')]);
      const start = { 'idempotency-key': `start-${database.name}` };
      const told = ({ statusCode, headers }: Awaited<ReturnType<typeof post>>) => [
        statusCode,
        headers['x-credits-used'],
        headers['idempotent-replayed'],
      ];
      const started = told(await post(`${first}/start`, {}, start));
      assert.deepEqual(started, [202, started[1], undefined]);
      assert.notEqual(started[1], '0');
      assert.deepEqual(told(await post(`${first}/start`, {}, start)), [202, started[1], 'true']);
      await post(`${first}/cancel`);
      assert.deepEqual(told(await post(`${first}/start`, {}, start)), [202, started[1], 'true']);
    });

    test('200: another column and another name; 400 for a column that is not there', async () => {
      const id = await created({ body: 'work,email\nw@x.example,a@x.example\nv@x.example,b@x.example\n' });
      const patch = (body: object) =>
        fixture.ask({ method: 'PATCH', url: `${lists}/${id}`, key: fixture.ours.live, body });
      const changed = (await patch({ column: 'work', name: 'New name' })).json<ListRecord>();
      assert.deepEqual([changed.column, changed.name, changed.addresses], [0, 'New name', 2]);
      assert.equal((await patch({ column: 1 })).json<ListRecord>().column, 1);
      const missing = await patch({ column: 'nowhere' });
      assert.equal(missing.statusCode, 400);
      assert.match(missing.json<{ detail: string }>().detail, /no column called “nowhere”.*work, email/);
      assert.equal((await read(`/${id}`)).json<ListRecord>().column, 1, 'a refused change changes nothing');
      assert.equal((await patch({ name: 'Half', column: 'nowhere' })).statusCode, 400);
      assert.equal((await read(`/${id}`)).json<ListRecord>().name, 'New name', 'all or nothing');
      await post(`${id}/start`);
      assert.equal((await patch({ name: 'Half', column: 1 })).statusCode, 409);
      assert.equal((await read(`/${id}`)).json<ListRecord>().name, 'New name', 'all or nothing');
      assert.equal((await patch({ name: 'Renamed' })).statusCode, 200);
    });

    test('200: lists newest first, in pages; rows in pages, by status and search', async () => {
      fixture.time.advance(1_000);
      const id = await created({
        body: `email\n${Array.from({ length: 250 }, (_, n) => `p${n}@x.example`).join('\n')}\nnobody\n`,
      });
      const page = (await read('?limit=1')).json<ListPage>();
      assert.deepEqual([page.lists.length, page.lists[0]?.list_id], [1, id]);
      assert.notEqual(
        (await read(`?limit=1&after=${page.next ?? ''}`)).json<ListPage>().lists[0]?.list_id,
        id,
      );
      const rows: number[] = [];
      for (let next: string | null = ''; next !== null;) {
        const part: ListRowPage = (
          await read(`/${id}/rows?limit=100${next === '' ? '' : `&after=${next}`}`)
        ).json<ListRowPage>();
        rows.push(...part.rows.map(({ row }) => row));
        next = part.next;
      }
      assert.deepEqual(
        rows,
        Array.from({ length: 251 }, (_, n) => n + 1),
      );
      const rejected = (await read(`/${id}/rows?status=rejected`)).json<ListRowPage>();
      assert.deepEqual(
        rejected.rows.map(({ row, email, reason }) => [row, email, reason]),
        [[251, 'nobody', 'no_at_sign']],
      );
      const found = (await read(`/${id}/rows?search=P17`)).json<ListRowPage>();
      assert.deepEqual(
        found.rows.map(({ email }) => email),
        ['p17@x.example', ...Array.from({ length: 10 }, (_, n) => `p17${n}@x.example`)],
      );
      for (const bad of ['?status=nice', '?limit=0', '?after=%'])
        assert.equal((await read(`/${id}/rows${bad}`)).statusCode, 400, bad);
      assert.equal((await read(`/${id}/download?format=pdf`)).statusCode, 400);
    });

    test('a list of a test key says that it is the sandbox’s, and costs nothing', async () => {
      const id = await created({ key: fixture.ours.test, query: '?name=l.csv' });
      const record = (await read(`/${id}`, fixture.ours.test)).json<ListRecord>();
      assert.deepEqual([record.sandbox, record.credits_needed], [true, 0]);
      const download = await fixture.server.inject({
        url: `${lists}/${id}/download`,
        headers: { authorization: `Bearer ${fixture.ours.test.apiKey}` },
      });
      assert.match(String(download.headers['content-disposition']), /filename="l-sandbox-checked\.csv"/);
      assert.match(download.body, /^name,email,.*,email_sandbox\n/);
    });
  });
}
