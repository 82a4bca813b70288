import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { overloadLimits, createOverloadGuard } from './overload-guard.ts';
import type { WholeHttpParts } from '../../../start/whole-server.ts';
import { listen } from '../../../../test/support/http/listen.ts';
import { openRaw, statusesIn } from '../../../../test/support/http/raw-client.ts';
import { taskId } from '../../../../test/support/http/test-parts.ts';

const single = '/api/v1/email-verification';
const bulk = '/api/v1/bulk-email-verification';

const running = {
  kind: 'task',
  taskId,
  name: 'list',
  status: 'running',
  total: 2,
  checked: 1,
  creditsUsed: 2,
  resultsJson: undefined,
} as const;

async function open(context: TestContext, overloadGuard: WholeHttpParts['overloadGuard']) {
  const { parts, port } = await listen(context, {
    overloadGuard,
    readTask: () => Promise.resolve(running),
  });
  return {
    parts,
    /** The head of a request whose body never comes: who looks at it waits in vain. */
    async postHead(path: string): Promise<string> {
      const raw = await openRaw(port);
      const head = ['Host: example.com', 'Authorization: Bearer paid', 'Content-Type: application/json'];
      raw.write([`POST ${path} HTTP/1.1`, ...head, 'Content-Length: 40', '', ''].join('\r\n'));
      const received = await raw.until('}');
      raw.socket.destroy();
      return received;
    },
    async post(path: string, body: unknown): Promise<number> {
      const headers = { authorization: 'Bearer paid', 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`http://127.0.0.1:${port}${path}`, init)).status;
    },
    async poll(): Promise<number> {
      const headers = { authorization: 'Bearer paid' };
      return (await fetch(`http://127.0.0.1:${port}${bulk}/${taskId}`, { headers })).status;
    },
  };
}

function assertRefused(received: string): void {
  assert.deepEqual(statusesIn(received), [503]);
  assert.match(received, /\r\nretry-after: 2\r\n/i);
  assert.match(received, /\{"status":"error","reason":"service_unavailable"\}$/);
}

function beLate(overloadGuard: WholeHttpParts['overloadGuard'], loopDelayMs: number): void {
  for (let windows = 0; windows < 2; windows += 1) overloadGuard.judgeWindow({ loopDelayMs, storeWaitMs: 0 });
}

test('a late process refuses lists first, then single requests, and never a poll; a refusal looks at neither key nor body', async (context) => {
  const overloadGuard = createOverloadGuard();
  const fixture = await open(context, overloadGuard);
  beLate(overloadGuard, 300);
  assertRefused(await fixture.postHead(bulk));
  assert.deepEqual(fixture.parts.calls, []);
  assert.equal(await fixture.post(single, { email: 'jane@example.com' }), 200);
  beLate(overloadGuard, 900);
  fixture.parts.calls.length = 0;
  assertRefused(await fixture.postHead(bulk));
  assertRefused(await fixture.postHead(single));
  assert.deepEqual(fixture.parts.calls, []);
  assert.equal(await fixture.poll(), 200);
});

test('where every place is taken, who comes is refused unread and polls are answered', async (context) => {
  const places = { single: 1, bulk: 1, upload: 1, read: 1, prober: 0, account: 1, form: 1 };
  const none = { single: 0, bulk: 0, upload: 0, read: 0, prober: 0, account: 0, form: 0 };
  const overloadGuard = createOverloadGuard({ ...overloadLimits, inFlight: places, waiting: none });
  const fixture = await open(context, overloadGuard);
  await overloadGuard.admit('single', 'another account');
  await overloadGuard.admit('bulk', 'another account');
  assertRefused(await fixture.postHead(single));
  assertRefused(await fixture.postHead(bulk));
  assert.deepEqual(fixture.parts.calls, []);
  assert.equal(await fixture.poll(), 200);
});

test('a request takes a place for its account, and before that one for its client only while its key is looked up', async (context) => {
  const guard = createOverloadGuard();
  const askers: string[] = [];
  const overloadGuard: WholeHttpParts['overloadGuard'] = {
    ...guard,
    admit: (kind, asker) => {
      askers.push(asker);
      return guard.admit(kind, asker);
    },
  };
  const caller = { accountId: 'account-paid', keyId: 'key-paid', mode: 'live', plan: 'paid' } as const;
  let known = false;
  const { port } = await listen(context, {
    overloadGuard,
    authenticate: () => (known ? caller : Promise.resolve(caller)),
    readTask: () => Promise.resolve(running),
  });
  const headers = { authorization: 'Bearer paid' };
  const poll = () => fetch(`http://127.0.0.1:${port}${bulk}/${taskId}`, { headers });
  assert.equal((await poll()).status, 200);
  assert.deepEqual(askers.splice(0), ['127.0.0.1', 'account-paid']);
  known = true;
  assert.equal((await poll()).status, 200);
  assert.deepEqual(askers, ['account-paid']);
  await guard.idle();
});
