import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test, type TestContext } from 'node:test';
import { sqlite } from '../../../../test/support/databases.ts';
import { openHttpFixture, type HttpFixture } from '../../../../test/support/http/open-http-fixture.ts';
import { openRaw, statusesIn } from '../../../../test/support/http/raw-client.ts';
import { discardUpload } from './discard-upload.ts';

const megabyte = Buffer.alloc(1_000_000, 'a@x.example\n');
const chunk = Buffer.concat([
  Buffer.from(`${megabyte.length.toString(16)}\r\n`),
  megabyte,
  Buffer.from('\r\n'),
]);

type Raw = Awaited<ReturnType<typeof openRaw>>;

/** Sends all of it before it reads a byte, as browsers do; answers whether the connection lasted. */
async function sendAll({ socket }: Raw, pieces: readonly (Buffer | string)[]): Promise<boolean> {
  socket.pause();
  const closed = new Promise((resume) => socket.once('close', resume));
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece))
      await Promise.race([new Promise((resume) => socket.once('drain', resume)), closed]);
  }
  socket.resume();
  return !socket.destroyed;
}

describe('a refused upload', () => {
  let fixture: HttpFixture;
  let port: number;
  before(async () => {
    // Its lists hold a megabyte.
    fixture = await openHttpFixture(sqlite);
    await fixture.server.listen({ port: 0, host: '127.0.0.1' });
    port = (fixture.server.server.address() as AddressInfo).port;
  });
  after(() => fixture.close());

  const head = (...headers: string[]) =>
    [
      'POST /api/v1/lists HTTP/1.1',
      'Host: example.com',
      `Authorization: Bearer ${fixture.ours.live.apiKey}`,
      ...headers,
      '',
      '',
    ].join('\r\n');
  const twenty = Array.from({ length: 20 }, () => megabyte);
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="l.csv"\r\n\r\n';
  const formEnd = '\r\n--b--\r\n';
  const formBytes = form.length + formEnd.length + 20 * megabyte.length;
  const uploads: Record<string, () => (Buffer | string)[]> = {
    'whose length is known': () => [
      head('Content-Type: text/csv', `Content-Length: ${20 * megabyte.length}`),
      ...twenty,
    ],
    'in chunks': () => [
      head('Content-Type: text/csv', 'Transfer-Encoding: chunked'),
      ...twenty.map(() => chunk),
      '0\r\n\r\n',
    ],
    'in a form': () => [
      head('Content-Type: multipart/form-data; boundary=b', `Content-Length: ${formBytes}`),
      form,
      ...twenty,
      formEnd,
    ],
  };

  for (const [name, pieces] of Object.entries(uploads))
    test(`${name} is read to its end, so that whoever sends all of it first sees why`, async () => {
      const raw = await openRaw(port);
      assert.equal(await sendAll(raw, pieces()), true);
      assert.match(
        await raw.until('detail'),
        /^HTTP\/1\.1 413 [\s\S]*"list_too_large","detail":"The file is larger than 1 MB/,
      );
      raw.write('GET /healthz HTTP/1.1\r\nHost: example.com\r\n\r\n');
      assert.deepEqual(statusesIn(await raw.until('"ok"')), [413, 200]);
      raw.socket.destroy();
    });

  test('of a key that is not known is read to its end too', async () => {
    const raw = await openRaw(port);
    const unknown = 'POST /api/v1/lists HTTP/1.1\r\nHost: example.com\r\nContent-Length: 20000000\r\n\r\n';
    assert.equal(await sendAll(raw, [unknown, ...twenty]), true);
    assert.match(await raw.until('reason'), /^HTTP\/1\.1 401 /);
    raw.socket.destroy();
  });

  test('that does not end is cut after 32 MB', async () => {
    const raw = await openRaw(port);
    const cut = new Promise<number>((resolve) =>
      fixture.server.server.once('request', ({ socket }) =>
        socket.once('close', () => resolve(socket.bytesRead)),
      ),
    );
    const endless = [head('Transfer-Encoding: chunked'), ...Array.from({ length: 150 }, () => chunk)];
    assert.equal(await sendAll(raw, endless), false);
    const read = await cut;
    assert.ok(read > 30_000_000 && read < 60_000_000, `${read} bytes were read`);
  });
});

test('a client that sends no more is waited for only so long', async (t: TestContext) => {
  const server = createServer((message, response) => {
    discardUpload(message, response, { bytes: 1_000, ms: 50 });
    response.writeHead(413, { 'content-length': 2 }).end('no');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const raw = await openRaw((server.address() as AddressInfo).port);
  raw.write('POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 500\r\n\r\nabc');
  assert.match(await raw.untilClosed(), /^HTTP\/1\.1 413 [\s\S]*no$/);
});
