import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Account, AccountTask, KeyList, LedgerPage, TaskPage, Usage } from '@mailproof/client';
import { readBalance } from '../../../core/ledger/read-balance.ts';
import { freezeAccount } from '../../../core/ledger/freeze-account.ts';
import type { IssuedKey } from '../../../core/keys/issue-key.ts';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { openHttpFixture, type HttpFixture } from '../../../../test/support/http/open-http-fixture.ts';
import { refusal } from '../../../../test/support/http/ask.ts';

const account = '/api/v1/account';
const endpoints = [
  { method: 'GET', url: account },
  { method: 'GET', url: `${account}/ledger` },
  { method: 'GET', url: `${account}/usage` },
  { method: 'GET', url: `${account}/tasks` },
  { method: 'GET', url: `${account}/keys` },
  { method: 'POST', url: `${account}/keys`, body: {} },
  { method: 'PATCH', url: `${account}/keys/abcdefgh`, body: { name: 'x' } },
  { method: 'DELETE', url: `${account}/keys/abcdefgh` },
] as const;

for (const database of oneDatabase) {
  describe(`${account} on ${database.name}`, () => {
    let fixture: HttpFixture;
    before(async () => {
      fixture = await openHttpFixture(database);
    });
    after(() => fixture.close());

    const read = async <T>(url: string, key: IssuedKey = fixture.ours.live): Promise<T> => {
      const response = await fixture.ask({ url: `${account}${url}`, key });
      assert.equal(response.statusCode, 200, response.body);
      return response.json<T>();
    };
    const createTask = async (emails: string[], key: IssuedKey = fixture.ours.live): Promise<string> => {
      const created = await fixture.ask({
        method: 'POST',
        url: '/api/v1/bulk-email-verification',
        key,
        body: { emails },
      });
      assert.equal(created.statusCode, 201);
      return created.json<{ task_id: string }>().task_id;
    };
    const createKey = async (body: object, key: IssuedKey = fixture.ours.live) =>
      fixture.ask({ method: 'POST', url: `${account}/keys`, key, body });

    test('401: every endpoint, without a key and with a wrong one', async () => {
      for (const endpoint of endpoints) {
        for (const headers of [{}, { authorization: 'Bearer nobody' }, { cookie: 'mailproof_session=x' }]) {
          const response = await fixture.ask({ ...endpoint, headers: { ...headers } });
          assert.deepEqual([response.statusCode, response.json()], [401, refusal('invalid_api_key')]);
        }
      }
    });

    test('405 with Allow: other methods', async () => {
      const allowed = {
        [account]: 'GET',
        [`${account}/keys`]: 'GET, POST',
        [`${account}/keys/x`]: 'PATCH, DELETE',
      };
      for (const [url, allow] of Object.entries(allowed)) {
        const response = await fixture.ask({ method: 'PUT', url, key: fixture.ours.live, body: {} });
        assert.deepEqual([response.statusCode, response.headers['allow']], [405, allow], url);
      }
      for (const url of [`${account}/`, `${account}/nothing`, `${account}/keys/a/b`, `${account}/keys/`]) {
        const { statusCode } = await fixture.server.inject({ url, method: 'GET' });
        assert.equal(statusCode, 404, url);
      }
    });

    test('the account, the same for its live and its test key; no plan is needed', async () => {
      const { accountId, live, test: testKey } = fixture.ours;
      const expected: Account = {
        account_id: accountId,
        name: 'ours',
        plan: 'paid',
        credits: { granted: 100, available: 100, reserved: 0, spent: 0 },
        frozen: false,
        key: { key_id: live.keyId, name: 'Live key', mode: 'live' },
      };
      assert.deepEqual(await read(''), expected);
      const key = { key_id: testKey.keyId, name: 'Test key', mode: 'test' };
      assert.deepEqual(await read('', testKey), { ...expected, key });
    });

    test('an account whose books do not balance says so', async () => {
      const other = await openHttpFixture(database);
      const { accountId } = other.ours;
      await other.store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now: 1 }));
      const answer = await other.ask({ url: account, key: other.ours.live });
      assert.equal(answer.json<Account>().frozen, true);
      await other.close();
    });

    test('the ledger: newest first, figures that add up, the task and the request of each entry', async () => {
      const created = await fixture.ask({
        method: 'POST',
        url: '/api/v1/bulk-email-verification',
        key: fixture.ours.live,
        body: { emails: ['a@example.com', 'A@example.com', 'nonsense'] },
      });
      const task_id = created.json<{ task_id: string }>().task_id;
      const request_id = String(created.headers['x-request-id']);
      const { entries, next } = await read<LedgerPage>('/ledger?limit=4');
      const at = new Date(fixture.time.wallClock.now()).toISOString();
      const ids = { at, task_id, request_id };
      assert.deepEqual(entries, [
        { number: 4, kind: 'release', credits: 2, available: 99, reserved: 1, spent: 0, ...ids },
        { number: 3, kind: 'reserve', credits: 2, available: 97, reserved: 3, spent: 0, ...ids },
        { number: 2, kind: 'reserve', credits: 1, available: 99, reserved: 1, spent: 0, ...ids },
        { number: 1, kind: 'grant', credits: 100, available: 100, reserved: 0, spent: 0, at },
      ]);
      assert.equal(next, null);
    });

    test('the ledger by pages is the ledger as a whole, whatever happens between two of them', async () => {
      for (let n = 0; n < 3; n += 1) await createTask([`${n}@example.com`, 'nonsense']);
      const whole = (await read<LedgerPage>('/ledger?limit=100')).entries;
      assert.ok(whole.length > 10);
      const balance = await readBalance(fixture.store.read, fixture.ours.accountId);
      const { available, reserved, spent } = whole[0]!;
      assert.deepEqual({ granted: 100, available, reserved, spent }, { ...balance });
      const pieces: LedgerPage['entries'] = [];
      let next: string | null = null;
      do {
        const query: string = next === null ? '' : `&before=${next}`;
        const page: LedgerPage = await read<LedgerPage>(`/ledger?limit=3${query}`);
        pieces.push(...page.entries);
        next = page.next;
        if (pieces.length === 3) await createTask(['later@example.com']);
      } while (next !== null);
      assert.deepEqual(pieces, whole);
    });

    test('use by day: one for each, today last, days without use included', async () => {
      const today = new Date(fixture.time.wallClock.now()).toISOString().slice(0, 10);
      const { days } = await read<Usage>('/usage');
      assert.equal(days.length, 30);
      assert.deepEqual(days[0], { date: '2025-12-04', charged: 0, reserved: 0, released: 0 });
      const { entries } = await read<LedgerPage>('/ledger?limit=100');
      const sum = (kind: string) =>
        entries.filter((entry) => entry.kind === kind).reduce((total, entry) => total + entry.credits, 0);
      const expected = {
        date: today,
        charged: sum('charge'),
        reserved: sum('reserve'),
        released: sum('release'),
      };
      assert.ok(expected.reserved > 0);
      assert.deepEqual(days.at(-1), expected);
      assert.equal((await read<Usage>('/usage?days=90')).days.length, 90);
      assert.deepEqual((await read<Usage>('/usage?days=1')).days, [expected]);
    });

    test('tasks: of the mode of the key, newest first, by pages, with the key that made each', async () => {
      fixture.time.advance(1_000);
      const byTest = await createTask(['x@example.com', 'y@example.com'], fixture.ours.test);
      fixture.time.advance(1_000);
      const empty = await createTask(['nonsense']);
      const { tasks } = await read<TaskPage>('/tasks?limit=1');
      const inTest = await read<TaskPage>('/tasks?limit=100', fixture.ours.test);
      const now = fixture.time.wallClock.now();
      const iso = (ms: number) => new Date(ms).toISOString();
      assert.deepEqual(tasks, [
        {
          task_id: empty,
          name: tasks[0]!.name,
          status: 'completed',
          mode: 'live',
          count_total: 0,
          count_checked: 0,
          progress_percentage: 100,
          created_at: iso(now),
          completed_at: iso(now),
          expires_at: iso(now + 15 * 86_400_000),
          key_id: fixture.ours.live.keyId,
          credits_used: 0,
        },
      ]);
      assert.deepEqual(inTest.tasks, [
        {
          task_id: byTest,
          name: inTest.tasks[0]!.name,
          status: 'waiting',
          mode: 'test',
          count_total: 2,
          count_checked: 0,
          progress_percentage: 0,
          created_at: iso(now - 1_000),
          completed_at: null,
          expires_at: null,
          key_id: fixture.ours.test.keyId,
          credits_used: 0,
        },
      ]);
      const whole = (await read<TaskPage>('/tasks?limit=100')).tasks;
      const pieces: AccountTask[] = [];
      let next: string | null = null;
      do {
        const query: string = next === null ? '' : `&before=${next}`;
        const page: TaskPage = await read<TaskPage>(`/tasks?limit=1${query}`);
        pieces.push(...page.tasks);
        next = page.next;
      } while (next !== null);
      assert.deepEqual(pieces, whole);
      assert.equal(whole.filter(({ credits_used }) => credits_used > 0).length, 5);
      const expired = await openHttpFixture(database);
      await expired.ask({
        method: 'POST',
        url: '/api/v1/bulk-email-verification',
        key: expired.ours.live,
        body: { emails: ['nonsense'] },
      });
      expired.time.advance(15 * 86_400_000);
      const gone = await expired.ask({ url: `${account}/tasks`, key: expired.ours.live });
      assert.deepEqual(gone.json(), { tasks: [], next: null }, 'what has expired is not listed');
      await expired.close();
    });

    test('400 invalid_request: bad queries and bodies', async () => {
      const bad = ['0', '-1', '101', '1.5', '1e1', '', ' 1', 'x', '99999999999999999999', '1&limit=2'];
      for (const path of ['/ledger', '/tasks'])
        for (const limit of bad) await refused(`${path}?limit=${limit}`);
      for (const days of ['0', '91', 'x', '', '-5', '7&days=7']) await refused(`/usage?days=${days}`);
      const cursors = [
        '',
        'x',
        '%00',
        '🙂',
        'A'.repeat(500),
        'MQ',
        'LTEgMCAwIDA',
        'OTk5OTkgMSAxIDE',
        'a&before=b',
      ];
      for (const before of cursors) {
        await refused(`/ledger?before=${before}`);
        await refused(`/tasks?before=${before}`);
      }
      const bodies = [
        '{',
        '[]',
        'null',
        { name: '' },
        { name: 'x'.repeat(51) },
        { name: 1 },
        { name: '\0' },
        { name: '\ud800' },
      ];
      const changes = [
        { method: 'POST', url: `${account}/keys` },
        { method: 'PATCH', url: `${account}/keys/${fixture.ours.live.keyId}` },
      ] as const;
      for (const change of changes) {
        for (const body of bodies) {
          const response = await fixture.ask({ ...change, key: fixture.ours.live, body });
          assert.deepEqual(
            [response.statusCode, response.json()],
            [400, refusal('invalid_request')],
            JSON.stringify(body),
          );
        }
      }
      assert.equal((await createKey({ mode: 'dead' })).statusCode, 400);
      const unnamed = await fixture.ask({ ...changes[1], key: fixture.ours.live, body: {} });
      assert.equal(unnamed.statusCode, 400);

      async function refused(path: string): Promise<void> {
        const response = await fixture.ask({ url: `${account}${path}`, key: fixture.ours.live });
        assert.deepEqual([response.statusCode, response.json()], [400, refusal('invalid_request')], path);
      }
    });

    test("tenancy: of another account's keys, tasks and ledger nothing is seen or changed", async () => {
      const { theirs, ours } = fixture;
      const taskId = await createTask(['theirs@example.com'], theirs.live);
      const page = await read<LedgerPage>('/ledger?limit=1', theirs.live);
      const everything = await Promise.all(
        ['', '/ledger?limit=100', '/tasks?limit=100', '/keys', '/usage'].map((url) => read<unknown>(url)),
      );
      const seen = JSON.stringify(everything);
      for (const secret of [
        theirs.accountId,
        theirs.live.keyId,
        theirs.test.keyId,
        taskId,
        page.entries[0]!.request_id,
      ])
        assert.ok(secret !== undefined && !seen.includes(secret), secret);

      const url = `${account}/keys/${theirs.live.keyId}`;
      for (const method of ['PATCH', 'DELETE'] as const) {
        const response = await fixture.ask({ method, url, key: ours.live, body: { name: 'ours now' } });
        assert.deepEqual([response.statusCode, response.json()], [404, refusal('key_not_found')]);
        const byTest = await fixture.ask({ method, url, key: ours.test, body: { name: 'ours now' } });
        assert.equal(byTest.statusCode, 404, 'nor can anybody tell that it is a live one');
      }
      const { keys } = await read<KeyList>('/keys', theirs.live);
      assert.deepEqual(keys.map(({ name }) => name).sort(), ['Live key', 'Test key']);

      // A cursor of theirs is a place in a list of ours, or none.
      const borrowed = await fixture.ask({
        url: `${account}/tasks?before=${await tasksCursor()}`,
        key: ours.live,
      });
      assert.ok(!borrowed.body.includes(taskId));

      async function tasksCursor(): Promise<string> {
        await createTask(['more@example.com'], theirs.live);
        return String((await read<TaskPage>('/tasks?limit=1', theirs.live)).next);
      }
    });

    test('503 while the service goes down', async () => {
      const other = await openHttpFixture(database);
      other.overloadGuard.drain();
      for (const endpoint of endpoints) {
        const response = await other.ask({ ...endpoint, key: other.ours.live });
        assert.equal(response.statusCode, 503);
        assert.ok(Number(response.headers['retry-after']) > 0);
      }
      assert.equal((await other.ask({ url: '/session' })).statusCode, 503);
      await other.close();
    });
  });
}
