import assert from 'node:assert/strict';
import { grant } from '../../src/credits/grant.ts';
import { readBalance } from '../../src/credits/read-balance.ts';
import { readTask } from '../../src/tasks/read-task.ts';
import { createSweep } from '../../src/upkeep/sweep.ts';
import { doEndSingle, doSettleAgain, doSellSingle, doStartSingle } from './act-on-singles.ts';
import {
  doClaim,
  doCreateTask,
  doDefer,
  doPutBack,
  doRecord,
  doRenew,
  doSettleTask,
} from './act-on-tasks.ts';
import type { Command } from './command.ts';
import { sweep } from './model.ts';
import { taskTimes, type Scene } from './scene.ts';

/** Does a command to the service and to the model, and asserts that both answer alike. */
export async function act(scene: Scene, command: Command): Promise<void> {
  switch (command.kind) {
    case 'grant':
      return doGrant(scene, command);
    case 'create_task':
      return doCreateTask(scene, command);
    case 'start_single':
      return doStartSingle(scene, command);
    case 'sell_single':
      return doSellSingle(scene, command);
    case 'end_single':
      return doEndSingle(scene, command);
    case 'settle_again':
      return doSettleAgain(scene, command);
    case 'claim':
      return doClaim(scene);
    case 'record':
      return doRecord(scene, command);
    case 'defer':
      return doDefer(scene, command);
    case 'settle_task':
      return doSettleTask(scene, command);
    case 'put_back':
      return doPutBack(scene, command);
    case 'renew':
      return doRenew(scene, command);
    case 'advance':
      scene.time.advance(command.ms);
      return;
    case 'sweep':
      return doSweep(scene);
    case 'crash':
      await doCrash(scene);
      return;
  }
}

async function doGrant(scene: Scene, { credits: amount, op }: Command & { kind: 'grant' }): Promise<void> {
  const { store, model, accountId, wallClock } = scene;
  const answer = await store.write((tx) =>
    grant(tx, {
      accountId,
      credits: amount,
      op: `${accountId} ${op}`,
      actor: 'operator',
      now: wallClock.now(),
    }),
  );
  assert.equal(answer.kind, model.ops.has(op) ? 'already_granted' : 'granted');
  if (model.ops.has(op)) return;
  model.ops.add(op);
  model.granted += amount;
  model.available += amount;
}

async function doSweep(scene: Scene): Promise<void> {
  const { store, model, registry, wallClock, dead } = scene;
  await createSweep({ store, registry, wallClock, taskRetentionMs: taskTimes.taskRetentionMs })();
  sweep(model, wallClock.now(), dead);
}

/** Every request in memory is gone; the next sweep finds the process dead. */
async function doCrash(scene: Scene): Promise<void> {
  const { store, house, registry } = scene;
  await house.kill(registry);
  scene.dead.add(registry.ownId);
  scene.singles = [];
  // Zombies may still hold these and try to use them.
  scene.claims = scene.claims.slice(-2);
  scene.registry = await store.joinRegistry();
}

/** The service shows what the model holds. */
export async function compare(scene: Scene): Promise<void> {
  const { store, model, accountId, live, wallClock } = scene;
  const { granted, available, reserved, spent } = model;
  assert.deepEqual(
    { ...(await readBalance(store.read, accountId)) },
    { granted, available, reserved, spent },
  );
  for (const task of model.tasks) {
    const seen = await readTask({ caller: live, taskId: task.id, explain: false }, { store, wallClock });
    if (task.status === 'completed' && task.expiresAt <= wallClock.now()) {
      assert.equal(seen.kind, 'task_not_found');
      continue;
    }
    assert.ok(seen.kind === 'task');
    const conclusive = task.items.filter((item) => item.conclusive).length;
    const held = task.status === 'completed' ? conclusive : task.items.length;
    assert.deepEqual(
      [seen.status, seen.total, seen.checked, seen.creditsUsed],
      [task.status, task.items.length, task.items.filter((item) => item.done).length, task.test ? 0 : held],
    );
  }
}
