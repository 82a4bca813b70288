import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bulkPath } from '../../support/api-client.ts';
import { openInstallation, type Installation } from './open-installation.ts';
import type { ServiceProcess } from './service-process.ts';
import { watchResults, type ResultWatch } from './watch-results.ts';

const quick = Array.from({ length: 10 }, (_, n) => `p${n}@catchall.test`);
/** Its host takes the connection and hangs up after a while, so that a worker is busy for a dozen seconds. */
const slow = 'p@hesitant.test';
const goesOnWithinMs = 60_000;

describe('workers that are lost', () => {
  let installation: Installation;
  let key: string;
  let watch: ResultWatch;
  let survivor: ServiceProcess;
  /** The time that a process takes to start shows how busy this machine is. */
  let startMs: number;
  before(async () => {
    installation = await openInstallation({ apis: 1, workers: 3 });
    key = (await installation.openAccount({ name: 'patient', credits: 1_000 })).liveKey;
    watch = await watchResults(installation);
    const startedAt = performance.now();
    await installation.apis[0]?.start();
    startMs = performance.now() - startedAt;
    assert.ok(installation.workers[2]);
    survivor = installation.workers[2];
  });
  after(() => installation.close());

  async function createTask(): Promise<string> {
    const client = installation.apis[0]?.client();
    assert.ok(client);
    const made = await client.ask({ path: bulkPath, key, body: { emails: [...quick, slow] } });
    return String(made.body['task_id']);
  }

  async function readTask(taskId: string) {
    const [row] = await installation.query(
      'select status, checked::int, fence::int from task where id = $1',
      [taskId],
    );
    return { status: row?.['status'], checked: Number(row?.['checked']), fence: Number(row?.['fence']) };
  }

  async function until(condition: () => Promise<boolean>): Promise<number> {
    const startedAt = performance.now();
    while (!(await condition())) await sleep(100);
    return Math.round(performance.now() - startedAt);
  }

  /** Gives a task to this worker alone, and waits until only its slow address is left; then starts the survivor. */
  async function giveTask(worker: ServiceProcess): Promise<string> {
    await survivor.kill();
    await worker.start();
    const taskId = await createTask();
    await until(async () => (await readTask(taskId)).checked === quick.length);
    assert.deepEqual(await readTask(taskId), { status: 'running', checked: quick.length, fence: 1 });
    return taskId;
  }

  async function expectWhole(taskId: string): Promise<void> {
    await until(async () => (await readTask(taskId)).status === 'completed');
    const client = installation.apis[0]?.client();
    assert.ok(client);
    const read = await client.ask({ method: 'GET', path: `${bulkPath}/${taskId}`, key });
    const results = Object.entries(read.body['results'] as Record<string, { status: string }>);
    assert.deepEqual(
      results.map(([email, { status }]) => [email, status]),
      [...quick.map((email) => [email, 'catch_all']), [slow, 'unknown']],
    );
    assert.equal(read.creditsUsed, String(quick.length));
    assert.equal(await watch.writtenTwice(), 0);
    assert.deepEqual((await installation.command('audit'))['violations'], []);
  }

  it('the task of a killed worker goes on elsewhere within a minute, and keeps what was answered', async (t) => {
    const [, dead] = installation.workers;
    assert.ok(dead);
    const taskId = await giveTask(dead);
    await Promise.all([dead.kill(), survivor.start()]);
    const ms = await until(async () => (await readTask(taskId)).fence > 1);
    t.diagnostic(`claimed again ${ms} ms after the survivor was up`);
    assert.ok(ms <= goesOnWithinMs + 10 * startMs, `after ${ms} ms`);
    await expectWhole(taskId);
  });

  it('a worker that stood still for longer than its lease tries to write, and is refused', async (t) => {
    const [zombie] = installation.workers;
    assert.ok(zombie);
    const writesOf = async () => (await watch.byWriter()).get(zombie.name) ?? { tried: 0, wrote: 0 };
    const taskId = await giveTask(zombie);
    zombie.pause();
    const stoppedAt = performance.now();
    try {
      await survivor.start();
      await until(async () => (await readTask(taskId)).fence > 1);
      const ms = Math.round(performance.now() - stoppedAt);
      t.diagnostic(`claimed again ${ms} ms after it was stopped`);
      assert.ok(ms <= goesOnWithinMs + 10 * startMs, `after ${ms} ms`);
      const asleep = await writesOf();
      zombie.resume();
      await until(async () => (await writesOf()).tried > asleep.tried);
      // Otherwise it might rightly claim the task again, when its last address is asked for once more.
      await zombie.kill();
      await expectWhole(taskId);
      const awake = await writesOf();
      t.diagnostic(`it tried ${awake.tried - asleep.tried} times after it woke`);
      assert.equal(awake.wrote, asleep.wrote, 'nothing of it was written');
    } finally {
      zombie.resume();
    }
  });
});
