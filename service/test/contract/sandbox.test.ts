/** Test keys: the same API, answered by the sandbox as its page says, with no credit moved and no packet sent. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../support/mailproof.ts';
import type { Balance } from '../support/open-fixture.ts';
import { startServiceInWorld, type RunningService } from './running-service.ts';

type PageRow = { name: string; code: number; word: string; score: number | undefined; says: string };

/** Reads the table of `docs/sandbox.md`, which users rely on. */
function readPage(): PageRow[] {
  const page = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)@` +\| ((\d{3}) `(\w+)`[^|]*)\|$/gm)];
  return rows.map(([, name = '', says = '', code, word = '']) => {
    const score = /score (\d+)/.exec(says)?.[1];
    return { name, code: Number(code), word, score: score === undefined ? undefined : Number(score), says };
  });
}

const rows = readPage();
let service: RunningService;
let key = '';
let before_: Balance;
before(async () => {
  service = await startServiceInWorld();
  key = service.first.testKey;
  before_ = await service.balance(service.first);
  service.world.reset();
});
after(() => service.stop());

test('the page has a row for every status and for every failure of the contract', () => {
  const statuses = 'safe invalid disabled disposable inbox_full catch_all role_account spamtrap unknown';
  const failures = 'verification_unavailable verification_timeout verification_failed';
  const missing = new Set(`${statuses} ${failures}`.split(' ')).difference(
    new Set(rows.map(({ word }) => word)),
  );
  assert.deepEqual([...missing], []);
});

for (const { name, code, word, score, says } of rows) {
  test(`${name}@ answers ${says.trim()}`, async () => {
    for (const email of [
      `${name}@example.com`,
      `jane+${name}@sub.example.org`,
      `${name.toUpperCase()}@example.com`,
    ]) {
      const answer = await service.client.verify(key, email);
      assert.equal(answer.status, code, email);
      assert.equal(answer.body[code === 200 ? 'status' : 'reason'], word, email);
      if (score !== undefined) assert.equal(answer.body['overall_score'], score);
      assert.equal(answer.headers['x-credits-used'], '0');
    }
  });
}

test('in bulk each answers the same, a failure as unknown, and nothing is held or charged', async () => {
  // Greylisting takes longer than this test by nature; the single answer above shows it.
  const asked = rows.filter(({ name }) => name !== 'greylisted');
  const created = await service.client.createTask(key, {
    emails: asked.map(({ name }) => `${name}@example.com`),
  });
  assert.deepEqual([created.status, created.headers['x-credits-used']], [201, '0']);
  const task = await service.client.readTaskUntil(
    key,
    created.body['task_id'],
    ({ body }) => body['status'] === 'completed',
  );
  assert.equal(task.headers['x-credits-used'], '0');
  const results = task.body['results'] as Record<string, { status: string }>;
  for (const { name, code, word } of asked)
    assert.equal(results[`${name}@example.com`]?.status, code === 200 ? word : 'unknown', name);
});

test('any other local part is safe, and what is no address is refused as ever', async () => {
  assert.equal((await service.client.verify(key, 'jane.doe@example.com')).body['status'], 'safe');
  assert.equal((await service.client.verify(key, 'jane.doe')).status, 400);
  const { body } = await service.client.createTask(key, { emails: ['jane.doe'] });
  assert.equal(body['count_rejected_emails'], 1);
});

test('explain works, and the idempotency keys of test keys and live keys are apart', async () => {
  const path = '/api/v1/email-verification?explain=true';
  const { body } = await service.client.verify(key, 'inbox_full@example.com', { path });
  assert.ok('explanation' in body);
  const headers = { 'idempotency-key': 'both' };
  assert.equal((await service.client.verify(key, 'safe@example.com', { headers })).status, 200);
  const repeat = await service.client.verify(key, 'safe@example.com', { headers });
  assert.deepEqual([repeat.status, repeat.headers['idempotent-replayed']], [200, 'true']);
  const live = await service.client.verify(service.first.key, 'not an address', { headers });
  assert.deepEqual([live.status, live.body['reason']], [400, 'invalid_email'], 'not a mismatch');
});

test('a task of a test key is read with a test key, and is not found with a live one', async () => {
  const created = await service.client.createTask(key, { emails: ['nobody'] });
  const taskId = created.body['task_id'];
  assert.equal((await service.client.readTask(key, taskId)).status, 200);
  assert.equal((await service.client.readTask(service.first.key, taskId)).status, 404);
});

test('no credit was moved and no packet was sent', async () => {
  assert.deepEqual(await service.balance(service.first), before_);
  assert.deepEqual([service.world.counts.dns.queries, service.world.counts.smtp.connections], [0, 0]);
});
