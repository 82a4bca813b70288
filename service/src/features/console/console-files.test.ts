import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { ApiServer } from '../../core/http/routes/http-parts.ts';
import { noConsoleFiles, readConsoleFiles } from './read-console-files.ts';
import { createWholeServer } from '../../start/whole-server.ts';
import { openRaw } from '../../../test/support/http/raw-client.ts';
import { createTestParts } from '../../../test/support/http/test-parts.ts';

const page = '<!doctype html><script src="/assets/app-2ZKXJ4QP.js"></script>'.padEnd(2_000);
const script = 'console.log("the console")'.padEnd(2_000);
const secret = 'no file of the console';
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

function write(path: string, text: string): void {
  writeFileSync(path, text);
  writeFileSync(`${path}.br`, brotliCompressSync(text));
  writeFileSync(`${path}.gz`, gzipSync(text));
}

describe('the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-console-'));
  const dist = join(folder, 'dist');
  let server: ApiServer;
  before(async () => {
    mkdirSync(join(dist, 'assets'), { recursive: true });
    write(join(dist, 'index.html'), page);
    write(join(dist, 'assets/app-2ZKXJ4QP.js'), script);
    write(join(dist, 'assets/app-7QWXC3AB.css'), 'body{color:#111}');
    writeFileSync(join(dist, 'assets/mark.svg'), '<svg/>');
    writeFileSync(join(dist, 'assets/app-2ZKXJ4QP.js.map'), '{}');
    writeFileSync(join(dist, '.made-from'), secret);
    writeFileSync(join(folder, 'secret.js'), secret);
    server = await createWholeServer(createTestParts({ consoleFiles: readConsoleFiles(dist, '') }));
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });

  test('one page at every address of it, under the policy', async () => {
    const urls = [
      '/',
      '/check',
      '/lists',
      '/tasks',
      '/tasks/abc',
      '/account',
      '/operator',
      '/operator/accounts/x',
      '/?a=b',
    ];
    for (const url of urls) {
      const response = await get(url);
      assert.deepEqual([response.statusCode, response.body], [200, page], url);
      assert.equal(response.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(response.headers['content-security-policy'], policy);
      assert.equal(response.headers['x-content-type-options'], 'nosniff');
      assert.equal(response.headers['referrer-policy'], 'no-referrer');
      assert.equal(response.headers['cache-control'], 'no-cache');
      assert.ok(response.headers['x-request-id']);
    }
  });

  test('404: addresses that are none of it', async () => {
    for (const url of [
      '/checks',
      '/check/x',
      '/lists/',
      '/index.html',
      '/assets',
      '/assets/',
      '/.made-from',
    ]) {
      const response = await get(url);
      assert.deepEqual(
        [response.statusCode, response.body],
        [404, '{"status":"error","reason":"not_found"}'],
        url,
      );
    }
  });

  test('405 with Allow: anything but GET and HEAD', async () => {
    for (const url of ['/', '/tasks/x', '/assets/app-2ZKXJ4QP.js']) {
      const response = await server.inject({ method: 'POST', url });
      assert.deepEqual([response.statusCode, response.headers['allow']], [405, 'GET, HEAD'], url);
    }
  });

  test('assets have their types, and those named after their content are kept for ever', async () => {
    const immutable = 'public, max-age=31536000, immutable';
    const expected = [
      ['app-2ZKXJ4QP.js', 'text/javascript; charset=utf-8', immutable],
      ['app-7QWXC3AB.css', 'text/css; charset=utf-8', immutable],
      ['mark.svg', 'image/svg+xml', 'no-cache'],
    ];
    for (const [name = '', type, caching] of expected) {
      const { statusCode, headers } = await get(`/assets/${name}`);
      assert.deepEqual([statusCode, headers['content-type'], headers['cache-control']], [200, type, caching]);
      assert.equal(headers['content-security-policy'], policy);
    }
  });

  test('compressed as the browser takes it, the smallest first', async () => {
    const expected: [string, string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['br;q=0.1, gzip', 'br'],
      ['gzip', 'gzip'],
      ['GZIP', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['*', 'br'],
      ['*;q=0', undefined],
      ['identity', undefined],
      ['br;q=0, *;q=0', undefined],
      ['br;q=nonsense', undefined],
      ['', undefined],
    ];
    for (const [accepted, encoding] of expected) {
      const response = await get('/assets/app-2ZKXJ4QP.js', { 'accept-encoding': accepted });
      assert.equal(response.headers['content-encoding'], encoding, accepted);
      assert.equal(response.headers['vary'], 'Accept-Encoding');
      const bytes = response.rawPayload;
      const plain =
        encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
      assert.equal(plain.toString(), script, accepted);
      assert.equal(response.headers['content-length'], String(bytes.length));
    }
    const uncompressed = await get('/assets/mark.svg', { 'accept-encoding': 'br' });
    assert.deepEqual([uncompressed.headers['content-encoding'], uncompressed.body], [undefined, '<svg/>']);
  });

  test('304 where the browser has it already, in the same form', async () => {
    const br = await get('/', { 'accept-encoding': 'br' });
    const plain = await get('/');
    const [brTag, plainTag] = [String(br.headers['etag']), String(plain.headers['etag'])];
    assert.notEqual(brTag, plainTag);
    for (const tag of [plainTag, `W/${plainTag}`, `"x", ${plainTag}`, '*']) {
      const response = await get('/check', { 'if-none-match': tag });
      assert.deepEqual([response.statusCode, response.body], [304, ''], tag);
      assert.equal(response.headers['etag'], plainTag);
      assert.equal(response.headers['content-security-policy'], policy);
    }
    for (const tag of [brTag, '"x"', '', 'nonsense'])
      assert.equal((await get('/', { 'if-none-match': tag })).statusCode, 200, tag);
  });

  test('HEAD says what GET would, without a body', async () => {
    // Over a real connection: what is injected does not pass where Node leaves the body out.
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    for (const url of ['/', '/tasks/x', '/assets/app-2ZKXJ4QP.js']) {
      const full = await get(url);
      const connection = await openRaw(port);
      connection.write(`HEAD ${url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      const [head = '', ...body] = (await connection.untilClosed()).split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 200 /);
      assert.deepEqual(body, [''], url);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
        assert.ok(head.includes(`\r\n${name}: ${String(full.headers[name])}\r\n`), `${url} ${name}`);
    }
  });

  test('no path leads out of its folder', async () => {
    const ways = [
      '/assets/../.made-from',
      '/assets/..%2f.made-from',
      '/assets/%2e%2e/.made-from',
      '/assets/%2e%2e%2f%2e%2e%2fsecret.js',
      '/assets/..%5c..%5csecret.js',
      '/assets/..\\..\\secret.js',
      '/assets/....//secret.js',
      '/assets/%00',
      '/assets/app-2ZKXJ4QP.js%00',
      '/assets/%00/../../secret.js',
      '/assets//etc/passwd',
      '/assets/%2fetc%2fpasswd',
      `/assets/${encodeURIComponent(join(folder, 'secret.js'))}`,
      '/assets/%252e%252e%252fsecret.js',
      '/assets/app-2ZKXJ4QP.js/',
      '/assets/app-2ZKXJ4QP.js.br',
      '/assets/app-2ZKXJ4QP.js.map',
      '/assets/APP-2ZKXJ4QP.JS',
      '/assets/__proto__',
      '/assets/constructor',
      '//assets/app-2ZKXJ4QP.js',
      '/../secret.js',
      '/%2e%2e/secret.js',
    ];
    for (const url of ways) {
      const response = await get(url);
      assert.equal(response.statusCode, 404, url);
      assert.ok(!response.body.includes(secret), url);
    }
    for (const url of ['/assets/%', '/assets/%zz', '/assets/%c0%ae%c0%ae/secret.js'])
      assert.equal((await get(url)).statusCode, 400, url);
  });
});

test('where it is not built, its page says how to build it, and nothing else is there', async () => {
  const nowhere = readConsoleFiles(join(tmpdir(), 'mailproof-nowhere'), '');
  assert.deepEqual(nowhere, noConsoleFiles);
  const server = await createWholeServer(createTestParts({ consoleFiles: nowhere }));
  const response = await server.inject('/');
  assert.equal(response.statusCode, 200);
  assert.match(response.body, /^[^\n]*node console\/build\.ts[^\n]*\n$/);
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal((await server.inject('/assets/app.js')).statusCode, 404);
  await server.close();
});
