import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import { openRaw, statusesIn } from '../../../../test/support/http/raw-client.ts';
import { connectionLimits } from '../server.ts';
import { createRefusalWait, refusalLimits } from './pace-refusals.ts';

const few = { perSecond: 10, atOnce: 3, waitMs: 500, stepMs: 100, waiting: 10 };

test('who is refused more often than it may be is refused later, and later each time', () => {
  const waitFor = createRefusalWait(few, createTestClock());
  const waits = Array.from({ length: 6 }, () => waitFor('a'));
  assert.deepEqual(waits, [0, 0, 0, 100, 200, 300]);
});

test('those that wait are sent several together', () => {
  const waitFor = createRefusalWait({ ...few, stepMs: 200 }, createTestClock());
  const waits = Array.from({ length: 6 }, () => waitFor('a'));
  assert.deepEqual(waits, [0, 0, 0, 200, 200, 400]);
});

test('nobody waits for what another was refused', () => {
  const waitFor = createRefusalWait(few, createTestClock());
  for (let n = 0; n < 100; n += 1) waitFor('a');
  assert.equal(waitFor('b'), 0);
});

test('who stops asking is refused at once again, and never owes more than the longest wait', () => {
  const time = createTestClock();
  const waitFor = createRefusalWait(few, time);
  for (let n = 0; n < 1_000; n += 1) waitFor('a');
  assert.equal(waitFor('a'), Infinity);
  time.advance(few.waitMs);
  assert.ok(waitFor('a') <= 100);
  time.advance(1_000);
  assert.deepEqual([waitFor('a'), waitFor('a'), waitFor('a')], [0, 0, 0]);
});

test('an account that asks ten times too much is still refused at once', () => {
  const time = createTestClock();
  const waitFor = createRefusalWait(refusalLimits, time);
  for (let n = 0; n < 2_000; n += 1) {
    assert.equal(waitFor('a'), 0);
    time.advance(1_000 / 900);
  }
});

/** A second refusal of the same client or account waits for longer than any test, beside one other. */
const refusals = { ...refusalLimits, perSecond: 0.001, atOnce: 1, waitMs: Infinity, waiting: 1 };

async function open(context: TestContext) {
  const { parts, server, port } = await listen(context, {}, { ...connectionLimits, refusals });
  return {
    server,
    overloadGuard: parts.overloadGuard,
    /** A connection over which a single verification was asked for. */
    ask: async (key: string, from?: string) => {
      const connection = await openRaw(port, from);
      const received = once(server.server, 'request');
      const body = '{"email":"jane@example.com"}';
      const headers = ['Host: example.com', `Authorization: Bearer ${key}`, 'Content-Type: application/json'];
      const line = 'POST /api/v1/email-verification HTTP/1.1';
      connection.write([line, ...headers, `Content-Length: ${body.length}`, '', body].join('\r\n'));
      await received;
      return connection;
    },
  };
}

type Connection = Awaited<ReturnType<typeof openRaw>>;
const statuses = async (connection: Connection) => statusesIn(await connection.until('}'));
const patience = { timeout: 20_000 };

test(
  'who is refused too often waits for that alone: others are refused at once, and it is served',
  patience,
  async (context) => {
    const { server, overloadGuard, ask } = await open(context);
    assert.deepEqual(await statuses(await ask('wrong')), [401]);
    const waiting = await ask('wrong');
    let isAnswered = false;
    waiting.socket.once('data', () => (isAnswered = true));
    await overloadGuard.idle();
    assert.deepEqual(await statuses(await ask('paid')), [200]);
    assert.deepEqual(await statuses(await ask('unpaid')), [403]);
    assert.deepEqual(await statuses(await ask('wrong', '127.0.0.2')), [401]);
    assert.equal(isAnswered, false);
    const answer = statuses(waiting);
    await server.close();
    assert.deepEqual(await answer, [401], 'who still waits at the end is answered');
  },
);

test(
  'a refusal that waits holds no place, and where too many wait the connection is closed',
  patience,
  async (context) => {
    const { overloadGuard, ask } = await open(context);
    await statuses(await ask('wrong'));
    const waiting = await ask('wrong');
    await overloadGuard.idle();
    assert.deepEqual(statusesIn(await (await ask('wrong')).untilClosed()), []);
    waiting.socket.destroy();
  },
);
