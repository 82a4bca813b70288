import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type ApiClient, bulkPath, createApiClient, singlePath } from '../../support/api-client.ts';
import { until } from '../../support/until.ts';
import { filesWith, linesWith } from './scan.ts';
import { openLoadFixture } from './load-world.ts';

const places = ['catchall.test', 'strict.test', 'blocked.test', 'nullmx.test', 'servfail.test', 'slow.test'];
const newCanary = () => `canary${randomBytes(8).toString('hex')}`;

test('when its time is over, no byte of an address is left in the files of the database', async (t) => {
  const fixture = await openLoadFixture({ settings: { MAILPROOF_TASK_RETENTION_MS: '1000' } });
  t.after(() => fixture.close());
  const { liveKey, testKey } = await fixture.openAccount({ name: 'erased', credits: 10_000 });
  const [plain, keyed] = [newCanary(), newCanary()];

  const first = await fixture.serve();
  const client = createApiClient(first.url);
  const taskIds = await askAll(client, { canary: plain, keys: [liveKey, testKey], headers: {} });
  assert.notDeepEqual(filesWith(fixture.dataDir, plain), [], 'an accepted task is on the disk');
  await first.kill();
  client.close();

  // Killed in the middle of it, it goes on after the restart, and erases while it runs.
  const second = await fixture.serve();
  const again = createApiClient(second.url);
  for (const taskId of taskIds) await untilGone(again, liveKey, taskId);
  await untilErased(fixture.dataDir, plain);

  // Answers under an Idempotency-Key are kept for a day.
  const keptIds = await askAll(again, {
    canary: keyed,
    keys: [liveKey],
    headers: { 'idempotency-key': `${keyed}@key.test` },
  });
  for (const taskId of keptIds) await untilGone(again, liveKey, taskId);
  assert.notDeepEqual(filesWith(fixture.dataDir, keyed), [], 'the day is not over');
  assert.equal(await second.stop(), 0);
  again.close();

  const dayLater = `data:text/javascript,const now=Date.now;Date.now=()=>now()+${24 * 3_600_000 + 60_000}`;
  const third = await fixture.serve({ preload: dayLater });
  await untilErased(fixture.dataDir, keyed);
  assert.equal(await third.stop(), 0);
  assert.deepEqual([...filesWith(fixture.dataDir, plain), ...filesWith(fixture.dataDir, keyed)], []);
  for (const one of [first, second, third])
    for (const canary of [plain, keyed])
      assert.deepEqual([...linesWith(one.stdout(), canary), ...linesWith(one.stderr(), canary)], []);
});

type Asked = { canary: string; keys: string[]; headers: Record<string, string> };

/** Sends singles and tasks, with names and invalid addresses; returns the ids of the tasks. */
async function askAll(client: ApiClient, { canary, keys, headers }: Asked): Promise<string[]> {
  const taskIds: string[] = [];
  for (const key of keys) {
    await client.ask({ path: singlePath, key, headers, body: { email: `${canary}@catchall.test` } });
    for (let task = 0; task < 10; task += 1) {
      const emails = places.flatMap((place) => [0, 1, 2].map((n) => `${canary}.${task}.${n}@${place}`));
      const body = { emails: [...emails, `${canary} no address`], name: canary.slice(0, 25) };
      const more = Object.entries(headers).map(([name, value]) => [name, `${value}.${task}`] as const);
      const answer = await client.ask({ path: bulkPath, key, headers: Object.fromEntries(more), body });
      assert.equal(answer.status, 201, answer.text);
      taskIds.push(String(answer.body['task_id']));
    }
  }
  return taskIds;
}

async function untilGone(client: ApiClient, key: string, taskId: string): Promise<void> {
  await client.readTaskUntil(key, taskId, ({ status }) => status === 404);
}

async function untilErased(dataDir: string, canary: string): Promise<void> {
  await until(
    () => filesWith(dataDir, canary),
    (files) => files.length === 0,
  );
}
