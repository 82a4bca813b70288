import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../../test/support/http/listen.ts';
import { openRaw, statusesIn } from '../../../test/support/http/raw-client.ts';
import { connectionsWithin } from './pipeline/limit-connections.ts';
import { connectionLimits } from './server.ts';

/** What a connection may carry, and what happens when there is none to be had. */
const body = '{"email":"jane@example.com"}';

const post = (target = '/api/v1/email-verification'): string =>
  [
    `POST ${target} HTTP/1.1`,
    'Host: example.com',
    'Authorization: Bearer paid',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

test('a target in absolute form is answered like its path', async (context) => {
  const { port, parts } = await listen(context);
  const raw = await openRaw(port);
  const get = (target: string) => raw.write(`GET ${target} HTTP/1.1\r\nHost: example.com\r\n\r\n`);
  get('http://example.com/healthz');
  assert.deepEqual(statusesIn(await raw.until('"ok"')), [200]);
  get('HTTPS://example.com:8080/readyz?x=http://other.example/');
  assert.deepEqual(statusesIn(await raw.until('"ready"')), [200, 200]);
  raw.write(post('http://example.com/api/v1/email-verification'));
  assert.deepEqual(statusesIn(await raw.until('verification_mode')), [200, 200, 200]);
  assert.ok(parts.calls.includes('verifyOne'));
  get('http://example.com/no/such/path');
  get('ftp://example.com/healthz');
  assert.deepEqual(statusesIn(await raw.until('not_found"}HTTP')).slice(3, 4), [404]);
  raw.socket.destroy();
});

test('the last request that a connection may carry is told so, and what follows is neither done nor answered', async (context) => {
  const { port, parts } = await listen(context, {}, { ...connectionLimits, requestsPerSocket: 3 });
  const raw = await openRaw(port);
  raw.write(post().repeat(5));
  const received = await raw.untilClosed();
  assert.deepEqual(statusesIn(received), [200, 200, 200]);
  assert.deepEqual(
    [...received.matchAll(/^connection: (.*)\r$/gim)].map((match) => match[1]),
    ['keep-alive', 'keep-alive', 'close'],
  );
  assert.equal(parts.calls.filter((call) => call === 'verifyOne').length, 3);
});

test('503: a machine that is out of file descriptors, and the log says so', async (context) => {
  for (const code of ['EMFILE', 'ENFILE']) {
    const shortage = Object.assign(new Error(`connect ${code}`), { code });
    const { port, parts } = await listen(context, { verifyOne: () => Promise.reject(shortage) });
    const raw = await openRaw(port);
    raw.write(post());
    const received = await raw.until('service_unavailable');
    assert.deepEqual(statusesIn(received), [503]);
    assert.match(received, /\r\nretry-after: 2\r\n/i);
    assert.ok(parts.logLines.some((line) => line.includes('"fault":"machine_exhausted"')));
    raw.socket.destroy();
  }
});

test('connections are given half of the files that the process may have open, and no more than wanted', () => {
  assert.equal(connectionsWithin(10_000, 1_024), 512);
  assert.equal(connectionsWithin(10_000, 1_048_576), 10_000);
  assert.ok(connectionsWithin(10_000) >= 1);
});
