/** The pages of an account and the sign-in of a browser, against the service as a user starts it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { singlePath } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import type { Ask } from './client.ts';
import { startServiceInWorld, type Account, type RunningService } from './running-service.ts';

const page = '/api/v1/account';
const adminToken = 'a-token-for-the-tests-of-the-contract';

let service: RunningService;
let account: Account;
before(async () => {
  service = await startServiceInWorld({ settings: { MAILPROOF_ADMIN_TOKEN: adminToken } });
  account = await service.openAccount({ credits: 10 });
});
after(() => service.stop());

const read = (path: string, more: Ask = {}) =>
  service.client.ask({ method: 'GET', path: `${page}${path}`, key: account.key, ...more });

type Entry = Record<'number' | 'available' | 'reserved' | 'spent' | 'credits', number> & {
  kind: string;
  task_id?: string;
  request_id?: string;
};

const entriesOf = async (query = ''): Promise<Entry[]> => {
  const { status, body } = await read(`/ledger${query}`);
  assert.equal(status, 200);
  return body['entries'] as Entry[];
};

describe('the account', () => {
  test('a verification shows in balance, ledger and use, under the id it was answered with', async () => {
    const answer = await service.client.verify(account.key, 'alive@plain.test');
    assert.equal(answer.headers['x-credits-used'], '1');
    const { body } = await read('');
    assert.deepEqual(body['credits'], { granted: 10, available: 9, reserved: 0, spent: 1 });
    const [charge, reservation] = await entriesOf();
    const id = answer.headers['x-request-id'];
    assert.deepEqual([charge?.kind, charge?.request_id], ['charge', id]);
    assert.deepEqual([reservation?.kind, reservation?.request_id], ['reserve', id]);
    const usage = await read('/usage?days=1');
    const [today] = usage.body['days'] as Record<string, unknown>[];
    assert.deepEqual([today?.['charged'], today?.['reserved'], today?.['released']], [1, 1, 0]);
  });

  test('a task shows in the list with its key, and in the ledger with its id until it is settled and after', async () => {
    const created = await service.client.createTask(account.key, {
      emails: ['alive@plain.test', 'dead@plain.test', 'no address'],
      name: 'spring',
    });
    const taskId = String(created.body['task_id']);
    await service.client.readTaskUntil(account.key, taskId, ({ body }) => body['status'] === 'completed');
    const { body } = await read('/tasks?limit=1');
    const [task] = body['tasks'] as Record<string, unknown>[];
    assert.deepEqual(
      [task?.['task_id'], task?.['name'], task?.['status'], task?.['credits_used'], task?.['mode']],
      [taskId, 'API: spring', 'completed', 2, 'live'],
    );
    assert.equal(task?.['key_id'], ((await read('')).body['key'] as Record<string, unknown>)['key_id']);
    const ofTask = (await entriesOf()).filter((entry) => entry.task_id === taskId);
    assert.deepEqual(
      ofTask.map(({ kind, credits }) => [kind, credits]),
      [
        ['charge', 2],
        ['release', 1],
        ['reserve', 1],
        ['reserve', 2],
      ],
    );
  });

  test('the statement adds up from the first entry to the balance', async () => {
    const entries = (await entriesOf('?limit=100')).reverse();
    assert.deepEqual(
      entries.map(({ number }) => number),
      entries.map((_, n) => n + 1),
    );
    const effects: Record<string, [number, number, number]> = {
      grant: [1, 0, 0],
      reserve: [-1, 1, 0],
      charge: [0, -1, 1],
      release: [1, -1, 0],
    };
    const figures = [0, 0, 0];
    for (const entry of entries) {
      for (const [n, effect] of (effects[entry.kind] ?? []).entries())
        figures[n] = (figures[n] ?? 0) + effect * entry.credits;
      assert.deepEqual([entry.available, entry.reserved, entry.spent], figures);
    }
    const { available, reserved, spent } = await service.balance(account);
    assert.deepEqual([available, reserved, spent], figures);
  });

  test('keys are made, named and deleted, and one that is deleted stops within a second', async () => {
    const made = await service.client.ask({ path: `${page}/keys`, key: account.key, body: { name: 'shop' } });
    assert.equal(made.status, 201);
    const path = `${page}/keys/${String(made.body['key_id'])}`;
    const named = await service.client.ask({
      method: 'PATCH',
      path,
      key: account.key,
      body: { name: 'web' },
    });
    assert.deepEqual([named.status, named.body['name']], [200, 'web']);
    const key = String(made.body['api_key']);
    assert.equal((await read('', { key })).status, 200);
    assert.equal((await service.client.ask({ method: 'DELETE', path, key: account.key })).status, 204);
    await until(
      () => read('', { key }),
      ({ status }) => status === 401,
    );
  });
});

describe('a browser', () => {
  const signIn = async (body: object) => {
    const answer = await service.client.ask({ path: '/session', body });
    assert.equal(answer.status, 200);
    const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
    return { cookie, token: String(answer.body['csrf_token']), kind: answer.body['kind'] };
  };

  test('signs in with a key, verifies with its cookie and CSRF token, signs out', async () => {
    const { cookie, token, kind } = await signIn({ key: account.key });
    assert.equal(kind, 'account');
    const verify = { path: singlePath, body: { email: 'alive@plain.test' } };
    const forged = await service.client.ask({ ...verify, headers: { cookie } });
    assert.deepEqual([forged.status, forged.body['reason']], [403, 'csrf_token_mismatch']);
    const headers = { cookie, 'x-csrf-token': token };
    assert.equal((await service.client.ask({ ...verify, headers })).body['status'], 'safe');
    assert.equal((await service.client.ask({ method: 'DELETE', path: '/session', headers })).status, 204);
    assert.equal((await service.client.ask({ ...verify, headers })).status, 401);
  });

  test('stays signed in when the service starts again', async () => {
    const [mine, operator] = [await signIn({ key: account.key }), await signIn({ admin_token: adminToken })];
    assert.equal(operator.kind, 'operator');
    await service.restart();
    for (const { cookie, kind } of [mine, operator]) {
      const answer = await service.client.ask({ method: 'GET', path: '/session', headers: { cookie } });
      assert.deepEqual([answer.status, answer.body['kind']], [200, kind]);
    }
  });

  test('is slowed when it guesses', async () => {
    const guess = () => service.client.ask({ path: '/session', body: { admin_token: 'guess' } });
    for (let n = 0; n < 5; n += 1) assert.equal((await guess()).status, 401);
    const slowed = await guess();
    assert.deepEqual([slowed.status, slowed.body['reason']], [429, 'too_many_attempts']);
    assert.match(String(slowed.headers['retry-after']), /^[1-9]$/);
  });
});
