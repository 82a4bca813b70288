import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type ApiClient, bulkPath, createApiClient, singlePath } from '../../support/api-client.ts';
import { until } from '../../support/until.ts';
import { openAccount } from './open-account.ts';
import { openHouse } from './open-house.ts';
import { filesWith, linesWith } from './scan.ts';
import { serve, type Serving } from './serve.ts';

const places = ['catchall.test', 'strict.test', 'blocked.test', 'nullmx.test', 'servfail.test', 'slow.test'];
const newCanary = () => `canary${randomBytes(8).toString('hex')}`;

test('when its time is over, no byte of an address is left in the files of the database', async (t) => {
  const { home, close } = await openHouse({ MAILPROOF_TASK_RETENTION_MS: '1000' });
  const started: Serving[] = [];
  const start = async (preload?: string) => {
    const serving = await serve(home, preload);
    started.push(serving);
    return serving;
  };
  t.after(async () => {
    await Promise.all(started.map((serving) => serving.kill()));
    await close();
  });
  const { liveKey, testKey } = await openAccount(home, { name: 'erased', credits: 10_000 });
  const [plain, keyed] = [newCanary(), newCanary()];

  const first = await start();
  const caller = createApiClient(first.url);
  const taskIds = await askAll(caller, { canary: plain, keys: [liveKey, testKey], headers: {} });
  assert.notDeepEqual(filesWith(home.dataDir, plain), [], 'an accepted task is on the disk');
  await first.kill();
  caller.close();

  // Killed in the middle of it, it goes on, and erases while it runs.
  const second = await start();
  const again = createApiClient(second.url);
  for (const taskId of taskIds) await untilGone(again, liveKey, taskId);
  await untilErased(home.dataDir, plain);

  // Answers under an Idempotency-Key are kept for a day.
  const keptIds = await askAll(again, {
    canary: keyed,
    keys: [liveKey],
    headers: { 'idempotency-key': `${keyed}@key.test` },
  });
  for (const taskId of keptIds) await untilGone(again, liveKey, taskId);
  assert.notDeepEqual(filesWith(home.dataDir, keyed), [], 'the day is not over');
  assert.equal(await second.stop(), 0);
  again.close();

  const dayLater = `data:text/javascript,const now=Date.now;Date.now=()=>now()+${24 * 3_600_000 + 60_000}`;
  const third = await start(dayLater);
  await untilErased(home.dataDir, keyed);
  assert.equal(await third.stop(), 0);
  assert.deepEqual([...filesWith(home.dataDir, plain), ...filesWith(home.dataDir, keyed)], []);
  for (const { written } of [first, second, third])
    assert.deepEqual([...linesWith(written(), plain), ...linesWith(written(), keyed)], []);
});

type Asked = { canary: string; keys: string[]; headers: Record<string, string> };

/** Singles and tasks, with names and what is no address; answers with the ids of the tasks. */
async function askAll(caller: ApiClient, { canary, keys, headers }: Asked): Promise<string[]> {
  const taskIds: string[] = [];
  for (const key of keys) {
    await caller.ask({ path: singlePath, key, headers, body: { email: `${canary}@catchall.test` } });
    for (let task = 0; task < 10; task += 1) {
      const emails = places.flatMap((place) => [0, 1, 2].map((n) => `${canary}.${task}.${n}@${place}`));
      const body = { emails: [...emails, `${canary} no address`], name: canary.slice(0, 25) };
      const more = Object.entries(headers).map(([name, value]) => [name, `${value}.${task}`] as const);
      const answer = await caller.ask({ path: bulkPath, key, headers: Object.fromEntries(more), body });
      assert.equal(answer.status, 201, answer.text);
      taskIds.push(String(answer.body['task_id']));
    }
  }
  return taskIds;
}

async function untilGone(caller: ApiClient, key: string, taskId: string): Promise<void> {
  await caller.readTaskUntil(key, taskId, ({ status }) => status === 404);
}

async function untilErased(dataDir: string, canary: string): Promise<void> {
  await until(
    () => filesWith(dataDir, canary),
    (files) => files.length === 0,
  );
}
