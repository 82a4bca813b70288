/** Time: the deadlines of requests and tasks, the retention of tasks, and a task that has to wait in the queue. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Answered } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import { startServiceInWorld, type RunningService } from './running-service.ts';

const singleTimeoutMs = 4_000;
const taskDeadlineMs = 8_000;

let service: RunningService;
let key = '';
before(async () => {
  service = await startServiceInWorld({
    settings: {
      MAILPROOF_SINGLE_TIMEOUT_MS: String(singleTimeoutMs),
      MAILPROOF_TASK_DEADLINE_MS: String(taskDeadlineMs),
      MAILPROOF_TASK_RETENTION_MS: '4000',
    },
  });
  key = service.first.key;
});
after(() => service.stop());

const completed = ({ body }: Answered): boolean => body['status'] === 'completed';

/**
 * Returns how late an answer may be: five seconds, and more if this machine is slow with an answer that needs no
 * packet.
 */
async function measureGrace(): Promise<number> {
  const startedAt = performance.now();
  await service.client.verify(key, 'x@nullmx.test');
  return 5_000 + 20 * (performance.now() - startedAt);
}

test('504 verification_timeout at the deadline, not before and not long after, and the credit returned', async () => {
  const graceMs = await measureGrace();
  const before = await service.balance(service.first);
  const startedAt = performance.now();
  const { status, body } = await service.client.verify(key, 'alive@tarpit.test');
  const tookMs = performance.now() - startedAt;
  assert.deepEqual([status, body['reason']], [504, 'verification_timeout']);
  assert.ok(tookMs > singleTimeoutMs - 50 && tookMs < singleTimeoutMs + graceMs, `${tookMs} ms`);
  assert.deepEqual(await service.balance(service.first), before);
});

test('a task is completed at its deadline: what is left is unknown and free', async () => {
  const graceMs = await measureGrace();
  const before = await service.balance(service.first);
  const created = await service.client.createTask(key, { emails: ['alive@tarpit.test', 'alive@plain.test'] });
  const startedAt = performance.now();
  const { body, headers } = await service.client.readTaskUntil(key, created.body['task_id'], completed);
  assert.ok(performance.now() - startedAt < taskDeadlineMs + graceMs);
  const results = body['results'] as Record<string, { status: string }>;
  assert.deepEqual(
    [results['alive@tarpit.test']?.status, results['alive@plain.test']?.status],
    ['unknown', 'safe'],
  );
  assert.equal(headers['x-credits-used'], '1');
  assert.equal((await service.balance(service.first)).available, before.available - 1);
});

test('a task that no worker has claimed is waiting, and shows nothing yet', async () => {
  const { client } = service;
  const emails = ['alive@plain.test', 'x@nxdomain.test'];
  /**
   * Creates more tasks than the account may run at once, then the last. On a busy machine their time may be up when
   * it is read.
   */
  const createLast = async () => {
    const busy = Array.from({ length: 32 }, () => client.createTask(key, { emails: ['alive@tarpit.test'] }));
    await Promise.all(busy);
    const { body } = await client.createTask(key, { emails, name: 'last' });
    return client.readTask(key, body['task_id']);
  };
  const { body, headers } = await until(createLast, ({ body: read }) => read['status'] === 'waiting');
  const id = body['task_id'];
  assert.deepEqual(body, {
    task_id: id,
    name: 'API: last',
    status: 'waiting',
    count_total: 2,
    count_checked: 0,
    progress_percentage: 0,
  });
  assert.equal(headers['x-credits-used'], '2');
  await client.readTaskUntil(key, id, completed);
});

test('a completed task expires: 404 task_not_found, and its addresses are erased', async () => {
  const address = 'erased.canary@plain.test';
  const created = await service.client.createTask(key, { emails: [address] });
  const id = created.body['task_id'];
  await service.client.readTaskUntil(key, id, completed);
  assert.notDeepEqual(filesWith(address), [], 'as long as it lives, it is there');
  const gone = await until(
    () => service.client.readTask(key, id),
    ({ status }) => status !== 200,
  );
  assert.deepEqual([gone.status, gone.body['reason']], [404, 'task_not_found']);
  await until(
    () => filesWith(address),
    (files) => files.length === 0,
  );
});

/** Returns the files of the data directory that contain these bytes. */
function filesWith(text: string): string[] {
  return readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

test('when all has expired the books still balance', async () => {
  const { reserved } = await until(
    () => service.balance(service.first),
    (balance) => balance.reserved === 0,
  );
  assert.equal(reserved, 0);
  assert.deepEqual((await service.command('audit'))['violations'], []);
});
