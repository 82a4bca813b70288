/** Shutdown and restart: draining, a restart in the middle of a task, and a database that does not answer. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { bulkPath, singlePath, type Answered } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import { startServiceInWorld, type RunningService } from './running-service.ts';

let service: RunningService;
let key = '';
before(async () => {
  service = await startServiceInWorld({
    places: {
      zones: { 'slow.test': { mx: [[10, 'mx.slow.test']] } },
      hosts: { 'mx.slow.test': { temper: { replyDelayMs: 1_500 }, mailboxes: { alive: 'exists' } } },
    },
  });
  key = service.first.key;
});
after(() => service.stop());

const isOpen = () =>
  until(
    () => service.world.hosts['mx.slow.test']?.counts.open,
    (open) => open === 1,
  );

test('SIGTERM: what is under way is answered, what comes is 503 with Retry-After, and it ends with 0', async () => {
  const before = await service.balance(service.first);
  const underWay = service.client.verify(key, 'alive@slow.test');
  await isOpen();
  service.process.child.kill('SIGTERM');
  const notReady = await until(
    () => get('/readyz'),
    ({ status }) => status !== 200,
  );
  assert.equal(notReady.status, 503);
  assert.equal(notReady.body['status'], 'not_ready');
  assert.match(JSON.stringify(notReady.body['problems']), /draining/);
  assert.equal((await get('/healthz')).status, 200);
  const refused = [
    { path: singlePath, body: { email: 'alive@plain.test' } },
    { path: bulkPath, body: { emails: ['alive@plain.test'] } },
    { path: singlePath, body: { email: 'alive@plain.test' }, key: 'wrong' },
  ];
  for (const given of refused) {
    const { status, body } = await service.client.ask({ key, ...given }, { insist: false });
    assert.deepEqual([status, body['reason']], [503, 'service_unavailable']);
  }
  const { status, body } = await underWay;
  assert.deepEqual([status, body['status']], [200, 'safe']);
  assert.equal((await service.process.ended).code, 0);
  await service.startAgain();
  assert.deepEqual(await service.balance(service.first), {
    ...before,
    available: before.available - 1,
    spent: before.spent + 1,
  });
});

test('a task in the middle survives the end of the process: its results stay and the rest follows', async () => {
  const before = await service.balance(service.first);
  const created = await service.client.createTask(key, {
    emails: ['alive@plain.test', 'alive@greylist.test', 'alive@slow.test'],
    name: 'survivor',
  });
  const id = created.body['task_id'];
  await service.client.readTaskUntil(key, id, ({ body }) => body['count_checked'] === 1);
  const asked = commandsAt('mx.plain.test');
  await service.restart();
  const running = await service.client.readTask(key, id);
  assert.equal(running.body['status'], 'running');
  assert.ok(Number(running.body['count_checked']) >= 1, 'what was checked stays checked');

  service.world.advance(5 * 60_000);
  const { body, headers } = await service.client.readTaskUntil(key, id, isCompleted);
  const results = body['results'] as Record<string, { status: string }>;
  assert.deepEqual(
    Object.values(results).map(({ status }) => status),
    ['safe', 'safe', 'safe'],
  );
  assert.equal(body['name'], 'API: survivor');
  assert.equal(headers['x-credits-used'], '3');
  assert.equal(commandsAt('mx.plain.test'), asked, 'what was checked is not asked again');
  assert.deepEqual(await service.balance(service.first), {
    ...before,
    available: before.available - 3,
    spent: before.spent + 3,
  });
});

test('the keys are printed at the first start only', () => {
  assert.doesNotMatch(service.process.stdout(), /mp_(?:live|test)_/);
});

test('503 while the database does not answer, and 200 when it does again', async () => {
  const database = openDatabase();
  database.exec('BEGIN IMMEDIATE');
  try {
    const call = { key, body: { email: 'alive@plain.test' } };
    const { status, body } = await service.client.ask(call, { insist: false });
    assert.deepEqual([status, body['reason']], [503, 'service_unavailable']);
  } finally {
    database.exec('ROLLBACK');
    database.close();
  }
  const { status } = await service.client.verify(key, 'alive@plain.test');
  assert.equal(status, 200);
  assert.deepEqual((await service.command('audit'))['violations'], []);
});

const isCompleted = ({ body }: Answered): boolean => body['status'] === 'completed';
const get = (path: string): Promise<Answered> =>
  service.client.ask({ method: 'GET', path }, { insist: false });
const commandsAt = (host: string) => service.world.hosts[host]?.counts.commands['RCPT'];

/** Opens the database as another program on the machine would, such as a backup. */
function openDatabase(): DatabaseSync {
  const file = readdirSync(service.dataDir).find((name) => /\.(?:db|sqlite3?)$/.test(name));
  assert.ok(file !== undefined, readdirSync(service.dataDir).join(' '));
  return new DatabaseSync(join(service.dataDir, file));
}
