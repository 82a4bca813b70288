import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { oneDatabase } from '../../../test/support/databases.ts';
import {
  adminToken,
  openHttpFixture,
  type HttpFixture,
} from '../../../test/support/http/open-http-fixture.ts';
import { createTestParts } from '../../../test/support/http/test-parts.ts';
import { createWholeServer } from '../../start/whole-server.ts';
import { createAdminToken } from '../keys/admin-token.ts';
import { withoutBasePath } from './pipeline/paths.ts';
import { readConsoleFiles } from '../../features/console/read-console-files.ts';

const basePath = '/tools/mailproof';

test('the base path is taken off where it stands as a whole, and nothing else is changed', () => {
  for (const [url, expected] of [
    ['/tools/mailproof', '/'],
    ['/tools/mailproof?a=b', '/?a=b'],
    ['/tools/mailproof/', '/'],
    ['/tools/mailproof/api/v1/account?x=/tools/mailproof', '/api/v1/account?x=/tools/mailproof'],
    ['/tools/mailproof/tools/mailproof/docs', '/tools/mailproof/docs'],
    ['/api/v1/account', '/api/v1/account'],
    ['/tools/mailproofs', '/tools/mailproofs'],
    ['/tools', '/tools'],
    ['/Tools/Mailproof/docs', '/Tools/Mailproof/docs'],
    ['*', '*'],
  ] as const)
    assert.equal(withoutBasePath(url, basePath), expected, url);
  assert.equal(withoutBasePath('/docs', ''), '/docs');
});

test('a base path that begins like a path of the service is refused', async () => {
  for (const taken of ['/api', '/api/mail', '/docs', '/lists', '/session', '/mcp', '/assets/x', '/healthz'])
    await assert.rejects(
      createWholeServer(createTestParts({ basePath: taken })),
      { name: 'StartError' },
      taken,
    );
  for (const free of ['/mailproof', '/tools/api', '/apis', '/doc'])
    await (await createWholeServer(createTestParts({ basePath: free }))).close();
});

for (const database of oneDatabase) {
  describe(`under a base path on ${database.name}`, () => {
    const dist = mkdtempSync(join(tmpdir(), 'mailproof-base-path-'));
    let fixture: HttpFixture;
    before(async () => {
      mkdirSync(join(dist, 'assets'));
      writeFileSync(
        join(dist, 'index.html'),
        '<script type="module" src="/assets/app-2ZKXJ4QP.js"></script>',
      );
      writeFileSync(join(dist, 'assets/app-2ZKXJ4QP.js'), 'start()');
      const exposition = { contentType: 'text/plain', text: () => Promise.resolve('requests 1') };
      fixture = await openHttpFixture(database, {
        basePath,
        consoleFiles: readConsoleFiles(dist, basePath),
        metrics: { token: createAdminToken(adminToken), exposition },
      });
    });
    after(async () => {
      await fixture.close();
      rmSync(dist, { recursive: true });
    });

    type Sent = { headers?: Record<string, string>; body?: object; method?: 'GET' | 'POST' | 'DELETE' };
    const send = (url: string, { headers = {}, body, method }: Sent = {}): Promise<LightMyRequestResponse> =>
      fixture.server.inject({
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        url,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      });
    const authorized = () => ({ authorization: `Bearer ${fixture.ours.test.apiKey}` });

    test('a proxy may pass the path on or take it off: the answers are the same', async () => {
      for (const path of [
        ...['/healthz', '/readyz', '/openapi.json', '/docs/', '/docs/js/scalar.js', '/form.js', '/llms.txt'],
        ...['/', '/lists/3f2c', '/assets/app-2ZKXJ4QP.js', '/nowhere', '/assets/nothing.js'],
        ...['/api/v1/account', '/api/v1/account/ledger?limit=1', '/admin/v1/accounts', '/session'],
      ]) {
        const [kept, taken] = [
          await send(`${basePath}${path}`, { headers: authorized() }),
          await send(path, { headers: authorized() }),
        ];
        assert.equal(kept.statusCode, taken.statusCode, path);
        assert.equal(kept.body, taken.body, path);
      }
      assert.equal((await send(basePath)).body, (await send('/')).body);
    });

    test('the API answers and refuses as everywhere, with the headers of the API', async () => {
      const single = `${basePath}/api/v1/email-verification`;
      const verified = await send(single, { headers: authorized(), body: { email: 'safe@example.com' } });
      assert.equal(verified.statusCode, 200, verified.body);
      for (const [response, status, reason] of [
        [await send(single, { body: { email: 'safe@example.com' } }), 401, 'invalid_api_key'],
        [await send(single), 405, 'method_not_allowed'],
        [await send(`${basePath}/api/v1/nothing`), 404, 'not_found'],
        [await send('/tools/api/v1/email-verification', { body: {} }), 404, 'not_found'],
      ] as const) {
        assert.deepEqual([response.statusCode, response.json()], [status, { status: 'error', reason }]);
      }
      const refused = await send(single);
      assert.deepEqual(
        [refused.headers['allow'], refused.headers['x-credits-used'], refused.headers['cache-control']],
        ['POST', '0', 'no-store'],
      );
    });

    test('the session’s cookie is sent back to this service alone, and is cleared where it was set', async () => {
      const opened = await send(`${basePath}/session`, { body: { admin_token: adminToken } });
      const cookie = String(opened.headers['set-cookie']);
      assert.match(cookie, /; Path=\/tools\/mailproof; HttpOnly; SameSite=Strict$/);
      const headers = {
        cookie: cookie.split(';', 1)[0] ?? '',
        'x-csrf-token': opened.json<{ csrf_token: string }>().csrf_token,
      };
      assert.equal((await send(`${basePath}/admin/v1/accounts`, { headers })).statusCode, 200);
      const closed = await send(`${basePath}/session`, { headers, method: 'DELETE' });
      assert.equal(closed.statusCode, 204);
      assert.match(
        String(closed.headers['set-cookie']),
        /^mailproof_session=; Max-Age=0; Path=\/tools\/mailproof;/,
      );
    });

    test('whatever a browser is told to load begins with the base path', async () => {
      const page = await send(`${basePath}/lists/3f2c`, { headers: { 'accept-encoding': 'br' } });
      assert.match(
        brotliDecompressSync(page.rawPayload).toString(),
        /src="\/tools\/mailproof\/assets\/app-2ZKXJ4QP\.js"/,
      );
      const docs = await send(`${basePath}/docs`);
      assert.deepEqual([docs.statusCode, docs.headers['location']], [301, `${basePath}/docs/`]);
      assert.ok((await send(`${basePath}/docs/`)).body.includes(`"url": "${basePath}/openapi.json"`));
      assert.match((await send(`${basePath}/docs/form`)).body, /href="\.\.\/account"/);
    });

    test('the OpenAPI document and llms.txt say where the service is', async () => {
      const { servers } = (await send(`${basePath}/openapi.json`)).json<{ servers: object[] }>();
      assert.deepEqual(servers, [{ url: basePath }]);
      assert.ok((await send(`${basePath}/llms.txt`)).body.includes(`](${basePath}/openapi.json)`));
    });

    test('the figures for Prometheus are there for whoever has the token', async () => {
      const headers = { authorization: `Bearer ${adminToken}` };
      assert.equal((await send(`${basePath}/metrics`, { headers })).body, 'requests 1');
      assert.equal((await send(`${basePath}/metrics`)).statusCode, 401);
    });

    test('agents reach their tools, which reach the API', async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
      const headers = { ...authorized(), accept: 'application/json, text/event-stream' };
      const answer = await send(`${basePath}/mcp`, { headers, body });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.match(answer.body, /verify_address/);
    });
  });
}
