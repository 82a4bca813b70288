import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, test } from 'node:test';
import { listen } from '../../../test/support/http/listen.ts';
import { createTestParts } from '../../../test/support/http/test-parts.ts';
import { openRaw, statusesIn } from '../../../test/support/http/raw-client.ts';
import { connectionLimits } from './server.ts';

const quick = { ...connectionLimits, headersTimeoutMs: 300, requestTimeoutMs: 600, checkingIntervalMs: 50 };
const post = (headers: string[], body = '', path = '/api/v1/email-verification'): string =>
  [`POST ${path} HTTP/1.1`, 'Host: example.com', ...headers, '', body].join('\r\n');
const paid = 'Authorization: Bearer paid';
const json = 'Content-Type: application/json';
const body = '{"email":"jane@example.com"}';
const length = `Content-Length: ${body.length}`;

describe('slow clients', () => {
  test('the limits of a connection are those of the threat table', () => {
    assert.deepEqual(
      [
        connectionLimits.headersTimeoutMs,
        connectionLimits.requestTimeoutMs,
        connectionLimits.checkingIntervalMs,
      ],
      [5_000, 10_000, 1_000],
    );
    assert.deepEqual([connectionLimits.headerBytes, connectionLimits.keepAliveTimeoutMs], [8_192, 65_000]);
  });

  test('they reach the sockets', async (context) => {
    const { server } = await listen(context);
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxRequestsPerSocket } = server.server;
    assert.deepEqual(
      [headersTimeout, requestTimeout, keepAliveTimeout, maxRequestsPerSocket],
      // The file of a list may take longer than other bodies, which have a deadline of their own (see below).
      [5_000, connectionLimits.uploadTimeoutMs, 65_000, 1_000],
    );
  });

  test('headers that drip are answered 408 and closed', async (context) => {
    const { port } = await listen(context, {}, quick);
    const raw = await openRaw(port);
    raw.write('POST /api/v1/email-verification HTTP/1.1\r\nHost: exam');
    const drip = setInterval(() => raw.write('x'), 50);
    const received = await raw.untilClosed();
    clearInterval(drip);
    assert.deepEqual(statusesIn(received), [408]);
    assert.match(received, /\{"status":"error","reason":"request_timeout"\}$/);
    assert.match(received, /x-request-id: request-/i);
  });

  test('a body that drips is answered 408 and closed', async (context) => {
    const { port, parts } = await listen(context, {}, quick);
    const raw = await openRaw(port);
    raw.write(post([paid, json, 'Content-Length: 1000'], '{'));
    const drip = setInterval(() => raw.write(' '), 50);
    const received = await raw.untilClosed();
    clearInterval(drip);
    assert.deepEqual(statusesIn(received), [408]);
    assert.deepEqual(parts.calls, ['authenticate']);
  });

  test('200 slow connections do not keep a quick one from its answer', async (context) => {
    const { port } = await listen(context, {}, quick);
    const slow = await Promise.all(Array.from({ length: 200 }, () => openRaw(port)));
    for (const raw of slow) raw.write('POST /api/v1/email-verification HTTP/1.1\r\n');
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal(answer.status, 200);
    await Promise.all(slow.map((raw) => raw.untilClosed()));
  });

  test('a client that hangs up aborts its verification and gives its place back', async (context) => {
    const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
    const { port, parts } = await listen(context, {
      verifyOne: ({ signal }) => {
        begin(undefined);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            resolve(undefined);
            reject(new Error('aborted'));
          });
        });
      },
    });
    const raw = await openRaw(port);
    raw.write(post([paid, json, length], body));
    await begun;
    raw.socket.destroy();
    await aborted;
    await parts.overloadGuard.idle();
  });
});

describe('bodies', () => {
  test('the key is refused before a body that never comes', async (context) => {
    const { port } = await listen(context);
    const raw = await openRaw(port);
    raw.write(post([json, 'Content-Length: 200000']));
    assert.deepEqual(statusesIn(await raw.until('invalid_api_key')), [401]);
    raw.socket.destroy();
  });

  test('a chunked body over 256 KiB is refused while it streams', async (context) => {
    const { port, server } = await listen(context);
    const before = process.memoryUsage().rss;
    const raw = await openRaw(port);
    let served = 0;
    server.server.on('request', (request) =>
      request.socket.on('close', () => (served = request.socket.bytesRead)),
    );
    raw.write(post([paid, json, 'Transfer-Encoding: chunked']));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 0x20), Buffer.from('\r\n')]);
    const total = 64 * 1024 * 1024;
    for (let sent = 0; sent < total && !raw.socket.destroyed; sent += 0x10000) {
      if (!raw.socket.write(chunk))
        await new Promise((resume) => raw.socket.once('drain', resume).once('close', resume));
    }
    const received = await raw.untilClosed();
    assert.deepEqual(statusesIn(received).slice(0, 1), received === '' ? [] : [400]);
    assert.ok(served < total / 2, `${served} bytes were read`);
    assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024);
  });

  test('a Content-Length over 256 KiB is refused unread', async (context) => {
    const { port } = await listen(context);
    const raw = await openRaw(port);
    raw.write(post([paid, json, 'Content-Length: 262145']));
    assert.match(await raw.untilClosed(), /^HTTP\/1\.1 400 [\s\S]*"invalid_email"\}$/);
  });

  test('exactly 256 KiB is read', async (context) => {
    const { port } = await listen(context);
    const padded = body.slice(0, -1) + ' '.repeat(262_144 - body.length) + '}';
    const raw = await openRaw(port);
    raw.write(post([paid, json, `Content-Length: ${padded.length}`], padded));
    assert.deepEqual(statusesIn(await raw.until('verification_mode')), [200]);
    raw.socket.destroy();
  });

  test('a Content-Length that lies low leaves no second request', async (context) => {
    const { port, parts } = await listen(context);
    const raw = await openRaw(port);
    raw.write(post([paid, json, 'Content-Length: 10'], body + body));
    const received = await raw.untilClosed();
    assert.deepEqual([...new Set(statusesIn(received))], [400]);
    assert.deepEqual(parts.calls, ['authenticate']);
  });

  test('a Content-Length that lies high ends in a time-out', async (context) => {
    const { port, parts } = await listen(context, {}, quick);
    const raw = await openRaw(port);
    raw.write(post([paid, json, 'Content-Length: 500'], body));
    assert.deepEqual(statusesIn(await raw.untilClosed()), [408]);
    assert.deepEqual(parts.calls, ['authenticate']);
  });

  test('compressed bodies are refused, whatever is in them', async (context) => {
    const { port, parts } = await listen(context);
    const bomb = Buffer.alloc(16 * 1024 * 1024, 0x20);
    const bombs = {
      gzip: gzipSync(bomb),
      br: brotliCompressSync(bomb),
      deflate: deflateSync(bomb),
      zstd: zstdCompressSync(bomb),
    };
    for (const [encoding, payload] of Object.entries({
      ...bombs,
      'x-gzip': gzipSync(body),
      'identity, gzip': gzipSync(body),
    })) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/email-verification`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer paid',
          'content-type': 'application/json',
          'content-encoding': encoding,
        },
        body: payload,
      });
      assert.equal(response.status, 400, encoding);
      assert.equal(await response.text(), '{"status":"error","reason":"invalid_email"}');
    }
    assert.ok(!parts.calls.includes('verifyOne'));
  });
});

describe('headers', () => {
  test('431: over 8 KiB', async (context) => {
    const { port } = await listen(context);
    const raw = await openRaw(port);
    raw.write(post([`X-Long: ${'x'.repeat(9_000)}`]));
    const received = await raw.untilClosed();
    assert.deepEqual(statusesIn(received), [431]);
    assert.match(received, /"headers_too_large"\}$/);
  });

  test('431: over 64 fields', async (context) => {
    const { port, parts } = await listen(context);
    const raw = await openRaw(port);
    raw.write(post([paid, json, length, ...Array<string>(62).fill('X: y')], body));
    assert.deepEqual(statusesIn(await raw.until('headers_too_large')), [431]);
    assert.deepEqual(parts.calls, []);
    raw.socket.destroy();
  });

  test('400: no Host in HTTP/1.1, or two', async (context) => {
    const { port } = await listen(context);
    for (const hosts of ['', 'Host: a.example\r\nHost: b.example\r\n']) {
      const raw = await openRaw(port);
      raw.write(`GET /healthz HTTP/1.1\r\n${hosts}\r\n`);
      assert.deepEqual(statusesIn(await raw.until('bad_request')), [400]);
      raw.socket.destroy();
    }
  });

  test('400: the docs page with a Host that is none', async (context) => {
    const { port } = await listen(context);
    for (const path of ['/docs', '/docs/']) {
      const raw = await openRaw(port);
      raw.write(`GET ${path} HTTP/1.1\r\nHost: a b%\r\n\r\n`);
      assert.deepEqual(statusesIn(await raw.until('bad_request')), [400]);
      raw.socket.destroy();
    }
  });

  test('an unknown expectation is ignored, 100-continue is met', async (context) => {
    const { port } = await listen(context);
    const raw = await openRaw(port);
    raw.write('GET /healthz HTTP/1.1\r\nHost: example.com\r\nExpect: the worst\r\n\r\n');
    assert.deepEqual(statusesIn(await raw.until('"ok"')), [200]);
    raw.write(post([paid, json, length, 'Expect: 100-continue']));
    await raw.until('100 Continue');
    raw.write(body);
    assert.deepEqual(statusesIn(await raw.until('verification_mode')), [200, 100, 200]);
    raw.socket.destroy();
  });

  test('pipelined requests get ids of their own', async (context) => {
    const { port } = await listen(context);
    const raw = await openRaw(port);
    raw.write(
      'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20) +
        'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    const ids = [...(await raw.untilClosed()).matchAll(/x-request-id: (\S+)/gi)].map((match) => match[1]);
    assert.equal(new Set(ids).size, 21);
  });
});

describe('requests that two parsers would read differently', () => {
  const smuggled = 'POST /api/v1/email-verification HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer paid\r\n';
  const encodings = [
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: identity, chunked, gzip',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:\x0bchunked',
    'Transfer-Encoding: "chunked"',
    'Transfer-Encoding: chunked;q=1',
    'Transfer-Encoding: chu\x00nked',
    'Transfer-Encoding\x00: chunked',
    ' Transfer-Encoding: chunked',
    'X: y\rTransfer-Encoding: chunked',
    'Transfer\tEncoding: chunked',
  ];
  const lengths = [
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length: +5',
    'Content-Length: -1',
    'Content-Length: 0x5',
    'Content-Length: 5, 5',
    'Content-Length: 5 5',
    'Content-Length: 5\x00',
    'Content-Length : 5',
    'Content-Length: 99999999999999999999999999',
    'Content-Length: five',
    'Content-Length: 1e1',
  ];
  const vectors = [
    ...encodings.flatMap((te) => [te, `${te}\r\nContent-Length: 5`, `Content-Length: 5\r\n${te}`]),
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked, x',
    ...lengths.flatMap((cl) => [cl, `${cl}\r\nX: y`, `X: y\r\n${cl}`]),
    ...['X Y: z', 'X: y\x00', ': empty', 'X\r\n folded: y', '\x01: y', 'X(y): z'],
  ];
  const bodies = [
    '5\r\nhello\r\n0\r\n\r\n',
    '0\r\n\r\n',
    'fffffffffffffffff\r\n',
    '-1\r\n\r\n',
    '5;\x00\r\nhello\r\n0\r\n\r\n',
  ];

  test(`${vectors.length} vectors are refused and closed, and the request behind them is not seen`, async (context) => {
    const { port, parts } = await listen(context, {}, quick);
    for (const [index, vector] of vectors.entries()) {
      const raw = await openRaw(port);
      const tail = bodies[index % bodies.length]!;
      raw.write(
        `POST /api/v1/email-verification HTTP/1.1\r\nHost: a\r\n${paid}\r\n${json}\r\n${vector}\r\n\r\n${tail}${smuggled}\r\n`,
      );
      const received = await raw.untilClosed();
      const statuses = statusesIn(received);
      assert.ok(
        statuses.length > 0 && statuses.every((status) => status === 400),
        `${JSON.stringify(vector)}: ${received}`,
      );
    }
    assert.ok(!parts.calls.includes('verifyOne'));
  });
});

describe('drain', () => {
  test('what is under way is answered, what is new is refused, then the port closes', async (context) => {
    const { promise: finish, resolve } = Promise.withResolvers<undefined>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
    const parts = createTestParts();
    const { port, server } = await listen(context, {
      overloadGuard: parts.overloadGuard,
      verifyOne: async (request) => {
        begin(undefined);
        await finish;
        return parts.verifyOne(request);
      },
    });
    const raw = await openRaw(port);
    raw.write(post([paid, json, length], body));
    await begun;
    parts.overloadGuard.drain();
    const late = await fetch(`http://127.0.0.1:${port}/api/v1/bulk-email-verification`, { method: 'POST' });
    assert.equal(late.status, 503);
    assert.equal(await late.text(), '{"status":"error","reason":"service_unavailable"}');
    assert.equal(late.headers.get('connection'), 'close');
    resolve(undefined);
    await parts.overloadGuard.idle();
    const answered = await raw.untilClosed();
    assert.deepEqual(statusesIn(answered), [200]);
    assert.match(answered, /connection: close/i);
    await server.close();
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  });
});
