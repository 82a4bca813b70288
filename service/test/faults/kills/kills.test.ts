import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readBalance } from '../../../src/core/ledger/read-balance.ts';
import { createWholeSweep } from '../../../src/start/whole-store.ts';
import { claimAny } from '../../support/claim-any.ts';
import { readTask } from '../../../src/core/verify/tasks/read-task.ts';
import { databases } from '../../support/databases.ts';
import { openTaskFixture } from '../../support/open-task-fixture.ts';
import type { OpenStoreOptions } from '../../../src/start/open-store.ts';
import { audit } from '../../../src/start/whole-store.ts';

const script = fileURLToPath(new URL('working-process.ts', import.meta.url));
const kills = 8;

/** Lets a process work for a while and kills it in the middle of something; gives back what it had told its callers. */
async function workAndDie(opening: OpenStoreOptions, accountId: string): Promise<string[]> {
  const child = spawn(process.execPath, [script, JSON.stringify(opening), accountId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: string[] = [];
  const lines = createInterface({ input: child.stdout }).on('line', (line) => told.push(line));
  await once(lines, 'line');
  await sleep(50 + Math.random() * 300);
  child.kill('SIGKILL');
  await once(child, 'close');
  return told;
}

for (const database of databases) {
  it(`${kills} kills at random moments on ${database.name}: no accepted task lost, no credit lost or charged twice`, async () => {
    const fixture = await openTaskFixture(database, 1_000_000);
    const { store, settings, account } = fixture;
    const parts = { store, wallClock: Date };
    const told: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      told.push(...(await workAndDie(settings, account.accountId)));
      assert.deepEqual((await audit({ store })).violations, [], `after kill ${kill + 1}`);
    }
    // The next start: what the dead held is given back, and the tasks go on where they were.
    await untilTheDeadAreSwept(fixture);
    for (let claim = await claimNow(); claim !== undefined; claim = await claimNow()) {
      assert.equal(await fixture.run(claim, { wallClock: Date, engine: fixture.parts.engine }), 'completed');
    }
    async function claimNow() {
      return store.write((tx) => claimAny(tx, { processId: fixture.registry.ownId, now: Date.now() }));
    }
    const accepted = told.filter((line) => line.startsWith('task ')).map((line) => line.slice(5));
    let conclusive = 0;
    for (const id of accepted) {
      const task = await readTask({ caller: account.live, taskId: id, explain: false }, parts);
      assert.ok(task.kind === 'task' && task.status === 'completed', 'an accepted task is lost');
      conclusive += task.creditsUsed;
    }
    assert.ok(accepted.length > 0);
    const charged = told.filter((line) => line === 'charged').length;
    const balance = await readBalance(store.read, account.accountId);
    assert.equal(balance?.reserved, 0);
    assert.ok(balance.spent >= conclusive + charged, 'what was revealed was charged');
    assert.deepEqual((await audit({ store })).violations, []);
    await fixture.close();
  });
}

/** A database finds out after a few seconds that a process of it has died, and a file at once. */
async function untilTheDeadAreSwept({
  store,
  registry,
}: Awaited<ReturnType<typeof openTaskFixture>>): Promise<void> {
  const sweep = createWholeSweep({ store, registry, wallClock: Date, taskRetentionMs: 86_400_000 });
  for (let triesLeft = 300; (await registry.findLiving()).length > 1 && triesLeft > 0; triesLeft -= 1) {
    await sweep();
    await sleep(100);
  }
  await sweep();
}
