import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { createAdminToken } from '../../keys/admin-token.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import { openRaw, statusesIn } from '../../../../test/support/http/raw-client.ts';
import { createTestParts, type TestParts } from '../../../../test/support/http/test-parts.ts';
import type { WholeHttpParts } from '../../../start/whole-server.ts';
import { connectionLimits } from '../server.ts';
import { overloadLimits } from './overload-guard.ts';

/** Whatever one client or account does, with however many connections: the others are served. */
const single = '/api/v1/email-verification';

async function open(
  context: TestContext,
  overrides: Partial<WholeHttpParts> = {},
  limits = connectionLimits,
) {
  const { parts, server, port } = await listen(context, overrides, limits);
  let requests = 0;
  server.server.on('request', () => (requests += 1));
  return {
    parts,
    server: server.server,
    port,
    requests: () => requests,
    post: (path: string, body: object, key = 'paid') =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}

type Fixture = Awaited<ReturnType<typeof open>>;

const head = (path: string, headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: example.com', 'Content-Type: application/json', ...headers, '', ''].join(
    '\r\n',
  );

/** Connections that send the head of a request, and a part of its body at most. */
async function sendHeads(fixture: Fixture, { count, bytes }: { count: number; bytes: string }) {
  const before = fixture.requests();
  const connections = await Promise.all(Array.from({ length: count }, () => openRaw(fixture.port)));
  for (const connection of connections) connection.write(bytes);
  while (fixture.requests() < before + count) await once(fixture.server, 'request');
  return connections;
}

const times = (parts: TestParts, call: string) => parts.calls.filter((name) => name === call).length;

async function untilCalled(parts: TestParts, call: string, count: number): Promise<void> {
  const patience = performance.now() + 20_000;
  while (times(parts, call) < count) {
    assert.ok(performance.now() < patience, `${call} was called ${times(parts, call)} times, not ${count}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('connections that send the head of a sign-in and no body do not keep anybody from signing in', async (context) => {
  const fixture = await open(context, {
    adminToken: createAdminToken('the-token-of-the-operator-of-this-test'),
    signIns: { begin: () => ({ kind: 'try', succeeded: () => undefined }) },
  });
  const count = overloadLimits.inFlight.account + overloadLimits.waiting.account;
  await sendHeads(fixture, { count, bytes: head('/session', ['Content-Length: 40']) });
  const answer = await fixture.post('/session', { admin_token: 'wrong' });
  assert.deepEqual([answer.status, await answer.json()], [401, { status: 'error', reason: 'invalid_key' }]);
});

test('bodies that never end keep nobody from verifying, whatever key they come with', async (context) => {
  const fixture = await open(context);
  for (const key of ['test', 'paid', 'other']) {
    const headers = [`Authorization: Bearer ${key}`, 'Content-Length: 40'];
    await sendHeads(fixture, {
      count: overloadLimits.inFlight.single,
      bytes: `${head(single, headers)}{"email":`,
    });
  }
  await untilCalled(fixture.parts, 'authenticate', 3 * overloadLimits.inFlight.single);
  for (const key of ['paid', 'other', 'test'])
    assert.equal((await fixture.post(single, { email: 'jane@example.com' }, key)).status, 200, key);
});

/** A verification of an address at slow.example ends when the test says so. */
function withSlowVerifications() {
  const parts = createTestParts();
  const { promise: end, resolve } = Promise.withResolvers<undefined>();
  const overrides: Partial<WholeHttpParts> = {
    verifyOne: async (request) => {
      if (request.address.host === 'slow.example') await end;
      return parts.verifyOne(request);
    },
  };
  return { overrides, end: () => resolve(undefined) };
}

for (const { slow, name } of [
  { slow: 'paid', name: 'an account' },
  { slow: 'test', name: 'a test key' },
]) {
  test(`${name} with 250 slow singles has four fifths of the places, and others are answered before it`, async (context) => {
    const { overrides, end } = withSlowVerifications();
    const fixture = await open(context, overrides);
    const body = '{"email":"jane@slow.example"}';
    const bytes = head(single, [`Authorization: Bearer ${slow}`, `Content-Length: ${body.length}`]) + body;
    const attack = await sendHeads(fixture, { count: 250, bytes });
    const share = 0.8 * overloadLimits.inFlight.single;
    await untilCalled(fixture.parts, 'verifyOne', share);
    for (let n = 1; n <= 50; n += 1) {
      assert.equal((await fixture.post(single, { email: 'jane@example.com' }, 'other')).status, 200);
      assert.equal(times(fixture.parts, 'verifyOne'), share + n, 'none of the slow ones went before');
    }
    end();
    const answers = await Promise.all(attack.map((connection) => connection.until('}')));
    const statuses = answers.flatMap(statusesIn);
    assert.ok(statuses.filter((status) => status === 200).length >= share);
    assert.ok(statuses.every((status) => status === 200 || status === 503));
  });
}

test('an address whose keys are still looked up has four fifths of the places, and another is served', async (context) => {
  const { promise: end, resolve } = Promise.withResolvers<undefined>();
  const keys = createTestParts();
  const fixture = await open(context, {
    authenticate: async (authorization) => {
      if (authorization === 'Bearer slow') await end;
      return keys.authenticate(authorization);
    },
  });
  const body = '{"email":"jane@example.com"}';
  const bytesWith = (key: string) =>
    head(single, [`Authorization: Bearer ${key}`, `Content-Length: ${body.length}`]) + body;
  const attack = await sendHeads(fixture, { count: 250, bytes: bytesWith('slow') });
  const share = 0.8 * overloadLimits.inFlight.single;
  assert.equal(times(fixture.parts, 'authenticate'), share, 'the rest has to wait');
  const other = await openRaw(fixture.port, '127.0.0.2');
  other.write(bytesWith('paid'));
  assert.deepEqual(statusesIn(await other.until('}')), [200]);
  assert.equal(times(fixture.parts, 'authenticate'), share + 1);
  resolve(undefined);
  const answers = await Promise.all(attack.map((connection) => connection.until('}')));
  assert.ok(answers.flatMap(statusesIn).every((status) => status === 401 || status === 503));
});

test('one address holds four fifths of the connections, and another is served', async (context) => {
  const fixture = await open(context, {}, { ...connectionLimits, connections: 50 });
  const isServed = async (from: string) => {
    const connection = await openRaw(fixture.port, from);
    connection.write('GET /healthz HTTP/1.1\r\nHost: example.com\r\n\r\n');
    return connection.until('"ok"').then(
      () => true,
      () => false,
    );
  };
  const ours = [];
  for (let n = 0; n < 60; n += 1) ours.push(await isServed('127.0.0.1'));
  assert.equal(ours.filter(Boolean).length, 40);
  assert.equal(await isServed('127.0.0.2'), true);
});
