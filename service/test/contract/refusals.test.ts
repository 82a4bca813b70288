/** Refused callers, the order of the checks, and that a refusal costs and leaves nothing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { bulkPath, singlePath } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import type { Ask } from './client.ts';
import { startServiceInWorld, type Account, type RunningService } from './running-service.ts';

const aTask = `${bulkPath}/${randomUUID()}`;
const anAddress = { email: 'alive@plain.test' };
const aBatch = { emails: ['alive@plain.test'] };

let service: RunningService;
let paid: Account;
let poor: Account;
let unpaid: Account;
before(async () => {
  service = await startServiceInWorld();
  paid = service.first;
  [poor, unpaid] = await Promise.all([
    service.openAccount(),
    service.openAccount({ plan: 'none', credits: 10 }),
  ]);
  service.world.reset();
});
after(() => service.stop());

async function expectRefusal(given: Ask, status: number, reason: string): Promise<void> {
  const answer = await service.client.ask(given);
  assert.deepEqual([answer.status, answer.body['reason']], [status, reason], JSON.stringify(given));
}

describe('401 invalid_api_key', () => {
  const endpoints: Ask[] = [
    { path: singlePath, body: anAddress },
    { path: bulkPath, body: aBatch },
    { path: aTask, method: 'GET' },
  ];
  const keys: [string, (key: string) => Record<string, string>][] = [
    ['without a key', () => ({})],
    ['with an empty header', () => ({ authorization: '' })],
    ['with the scheme alone', () => ({ authorization: 'Bearer' })],
    ['with another scheme', (key) => ({ authorization: `Basic ${key}` })],
    ['with the key alone', (key) => ({ authorization: key })],
    ['with two keys', (key) => ({ authorization: `Bearer ${key} ${key}` })],
    ['with what is no key', () => ({ authorization: 'Bearer nothing' })],
    ['with a well-formed key nobody has', (key) => ({ authorization: `Bearer ${otherSecret(key)}` })],
    ['with half a key', (key) => ({ authorization: `Bearer ${key.slice(0, 40)}` })],
    ['with the key in another case', (key) => ({ authorization: `Bearer ${key.toLowerCase()}` })],
    [
      'with a live key made a test key',
      (key) => ({ authorization: `Bearer ${key.replace('live', 'test')}` }),
    ],
    ['with the key in another header', (key) => ({ 'x-api-key': key })],
  ];
  for (const [what, headers] of keys) {
    test(`${what}, at each endpoint, with WWW-Authenticate: Bearer`, async () => {
      for (const endpoint of endpoints)
        await expectRefusal({ ...endpoint, headers: headers(paid.key) }, 401, 'invalid_api_key');
    });
  }

  test('a deleted key stops within a second, and only that key', async () => {
    const created = await service.command('keys', 'create', poor.accountId);
    const key = String(created['api_key']);
    await expectRefusal({ path: aTask, method: 'GET', key }, 404, 'task_not_found');
    await service.command('keys', 'delete', String(created['key_id']));
    await pass(1_000);
    for (const endpoint of endpoints) await expectRefusal({ ...endpoint, key }, 401, 'invalid_api_key');
    await expectRefusal({ path: aTask, method: 'GET', key: poor.key }, 404, 'task_not_found');
  });
});

describe('403 subscription_required', () => {
  test('an account without a plan creates nothing, whatever it has', async () => {
    await expectRefusal({ path: singlePath, key: unpaid.key, body: anAddress }, 403, 'subscription_required');
    await expectRefusal({ path: bulkPath, key: unpaid.key, body: aBatch }, 403, 'subscription_required');
  });

  test('a test key of such an account creates nothing either', async () => {
    const key = String((await service.command('keys', 'create', unpaid.accountId, '--test'))['api_key']);
    await expectRefusal({ path: singlePath, key, body: anAddress }, 403, 'subscription_required');
    await expectRefusal({ path: bulkPath, key, body: aBatch }, 403, 'subscription_required');
  });

  test('reading needs no plan: a task made while there was one can be read after it ended', async () => {
    const created = await service.client.createTask(paid.key, { emails: ['not an address'] });
    await service.command('accounts', 'plan', paid.accountId, 'none');
    await until(
      () => service.client.createTask(paid.key, aBatch),
      ({ status }) => status === 403,
    );
    const { status, body } = await service.client.readTask(paid.key, created.body['task_id']);
    assert.deepEqual([status, body['status']], [200, 'completed']);
    await service.command('accounts', 'plan', paid.accountId, 'paid');
    await until(
      () => service.client.createTask(paid.key, { emails: ['x'] }),
      ({ status: code }) => code === 201,
    );
  });
});

describe('404', () => {
  test('not_found on every path that is none of ours, with and without a key, by any method', async () => {
    const paths = [
      '/api',
      '/api/v1',
      '/api/v2/email-verification',
      '/api/v1/email-verification/x',
      '/console',
    ];
    const odd = [
      `${singlePath}/`,
      `${bulkPath}/`,
      `${aTask}/results`,
      '/API/v1/email-verification',
      '/api//v1/email-verification',
    ];
    for (const path of [...paths, ...odd]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        await expectRefusal({ path, method }, 404, 'not_found');
        await expectRefusal({ path, method, key: paid.key }, 404, 'not_found');
      }
    }
  });

  test("task_not_found for an unknown, a malformed and another account's task, all alike", async () => {
    const other = await service.client.createTask(paid.key, { emails: ['no address'] });
    const ids = [
      randomUUID(),
      'x',
      '0',
      'null',
      '%00',
      "'%20OR%201=1",
      'a'.repeat(200),
      other.body['task_id'],
    ];
    for (const id of ids)
      await expectRefusal(
        { path: `${bulkPath}/${String(id)}`, method: 'GET', key: poor.key },
        404,
        'task_not_found',
      );
    assert.equal((await service.client.readTask(paid.key, other.body['task_id'])).status, 200);
  });
});

describe('405 method_not_allowed', () => {
  const paths: [string, string][] = [
    [singlePath, 'POST'],
    [bulkPath, 'POST'],
    [aTask, 'GET'],
    ['/healthz', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/openapi.json', 'GET'],
    ['/docs', 'GET'],
  ];
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'];
  for (const [path, allowed] of paths) {
    test(`every method but ${allowed} on ${path.replace(aTask, `${bulkPath}/{taskId}`)}, with Allow`, async () => {
      for (const method of methods.filter((name) => !allowed.split(', ').includes(name))) {
        const { status, headers, body } = await service.client.ask({ method, path, key: paid.key });
        const reason = method === 'HEAD' ? undefined : 'method_not_allowed';
        assert.deepEqual([status, headers.allow, body['reason']], [405, allowed, reason], method);
      }
    });
  }
});

describe('the order of checks', () => {
  const bad = 'not json';
  test('method before key', async () => {
    await expectRefusal(
      { method: 'PUT', path: singlePath, key: 'wrong', body: bad },
      405,
      'method_not_allowed',
    );
    await expectRefusal({ method: 'DELETE', path: aTask }, 405, 'method_not_allowed');
  });
  test('key before plan and body', async () => {
    for (const path of [singlePath, bulkPath])
      await expectRefusal({ path, key: 'wrong', body: bad }, 401, 'invalid_api_key');
  });
  test('plan before body', async () => {
    for (const path of [singlePath, bulkPath])
      await expectRefusal({ path, key: unpaid.key, body: bad }, 403, 'subscription_required');
  });
  test('body before credits', async () => {
    await expectRefusal({ path: singlePath, key: poor.key, body: bad }, 400, 'invalid_email');
    await expectRefusal({ path: bulkPath, key: poor.key, body: bad }, 400, 'invalid_batch');
  });
  test('idempotency before credits: a repeat is answered although nothing is left', async () => {
    const account = await service.openAccount({ credits: 1 });
    const headers = { 'idempotency-key': 'the last credit' };
    const keyed = { key: account.key, body: anAddress, headers: { 'idempotency-key': 'last' } };
    const first = await service.client.ask(keyed);
    assert.equal(first.status, 200);
    await expectRefusal({ key: account.key, body: anAddress }, 429, 'insufficient_credits');
    await expectRefusal({ ...keyed, body: { email: 'support@plain.test' } }, 422, 'idempotency_mismatch');
    assert.deepEqual((await service.client.ask(keyed)).body, first.body);
    await expectRefusal({ ...keyed, headers }, 400, 'invalid_email');
  });
  test('credits before work', async () => {
    await expectRefusal(
      { path: singlePath, key: poor.key, body: { email: 'x@servfail.test' } },
      429,
      'insufficient_credits',
    );
    await expectRefusal({ path: bulkPath, key: poor.key, body: aBatch }, 429, 'insufficient_credits');
  });
  test('key before task on reading', () =>
    expectRefusal({ method: 'GET', path: `${bulkPath}/x`, key: 'wrong' }, 401, 'invalid_api_key'));
});

test('a refused request sends no packet, moves no credit and leaves no task', async () => {
  const books = () => Promise.all([service.balance(poor), service.balance(unpaid), service.command('audit')]);
  const before = await books();
  service.world.reset();
  const refused: Ask[] = [
    { path: singlePath, body: anAddress },
    { path: bulkPath, body: aBatch },
    { path: singlePath, key: unpaid.key, body: anAddress },
    { path: bulkPath, key: unpaid.key, body: aBatch },
    { path: singlePath, key: poor.key, body: anAddress },
    { path: bulkPath, key: poor.key, body: aBatch },
    { path: singlePath, key: poor.key, body: { email: 'x' } },
    { path: bulkPath, key: poor.key, body: { emails: [] } },
    { path: singlePath, method: 'GET', key: poor.key },
  ];
  for (const given of refused) assert.ok((await service.client.ask(given)).status >= 400);
  assert.deepEqual([service.world.counts.dns.queries, service.world.counts.smtp.connections], [0, 0]);
  assert.deepEqual(await books(), before);
  assert.deepEqual(before[2]['violations'], []);
});

/** Returns the same key with another secret: only its checksum or its hash differs. */
function otherSecret(key: string): string {
  const middle = key.length - 20;
  return `${key.slice(0, middle)}${key[middle] === 'a' ? 'b' : 'a'}${key.slice(middle + 1)}`;
}
