import assert from 'node:assert/strict';
import { freezeAccount } from '../../src/core/ledger/freeze-account.ts';
import { grant } from '../../src/core/ledger/grant.ts';
import { readBalance } from '../../src/core/ledger/read-balance.ts';
import { statement } from '../../src/core/store/statement.ts';
import { readTask } from '../../src/core/verify/tasks/read-task.ts';
import { createWholeSweep } from '../../src/start/whole-store.ts';
import { doEndSingle, doSettleAgain, doKnownSingles, doStartSingle } from './act-on-singles.ts';
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
import { taskTimes, type Fixture } from './fixture.ts';

/** Does a command to the service and to the model, and asserts that both answer alike. */
export async function act(fixture: Fixture, command: Command): Promise<void> {
  switch (command.kind) {
    case 'grant':
      return doGrant(fixture, command);
    case 'create_task':
      return doCreateTask(fixture, command);
    case 'start_single':
      return doStartSingle(fixture, command);
    case 'known_singles':
      return doKnownSingles(fixture, command);
    case 'end_single':
      return doEndSingle(fixture, command);
    case 'settle_again':
      return doSettleAgain(fixture, command);
    case 'claim':
      return doClaim(fixture);
    case 'record':
      return doRecord(fixture, command);
    case 'defer':
      return doDefer(fixture, command);
    case 'settle_task':
      return doSettleTask(fixture, command);
    case 'put_back':
      return doPutBack(fixture, command);
    case 'renew':
      return doRenew(fixture, command);
    case 'freeze':
      return doFreeze(fixture, command);
    case 'advance':
      fixture.time.advance(command.ms);
      return;
    case 'sweep':
      return doSweep(fixture);
    case 'crash':
      await doCrash(fixture);
      return;
  }
}

async function doGrant(
  fixture: Fixture,
  { credits: amount, op }: Command & { kind: 'grant' },
): Promise<void> {
  const { store, model, accountId, wallClock } = fixture;
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

async function doSweep(fixture: Fixture): Promise<void> {
  const { store, model, registry, wallClock, dead } = fixture;
  await createWholeSweep({ store, registry, wallClock, taskRetentionMs: taskTimes.taskRetentionMs })();
  sweep(model, wallClock.now(), dead);
}

const thaw = statement((db, arg: { account: string }) =>
  db.updateTable('account').set({ frozen_at: null }).where('id', '=', arg.account),
);

async function doFreeze(fixture: Fixture, { frozen }: Command & { kind: 'freeze' }): Promise<void> {
  const { store, model, accountId, wallClock } = fixture;
  const now = wallClock.now();
  if (frozen) await store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now }));
  else await store.write((tx) => tx.change(thaw, { account: accountId }));
  model.frozen = frozen;
}

/** Every request in memory is gone; the next sweep finds the process dead. */
async function doCrash(fixture: Fixture): Promise<void> {
  const { store, testStore, registry } = fixture;
  await testStore.kill(registry);
  fixture.dead.add(registry.ownId);
  fixture.singles = [];
  // Zombies may still hold these and try to use them.
  fixture.claims = fixture.claims.slice(-2);
  fixture.registry = await store.joinRegistry();
}

/** The audit looks at the accounts that were touched since it last looked (see upkeep/audit.ts). */
const findTouched = statement((db, arg: { account: string }) =>
  db
    .selectFrom('account')
    .innerJoin('entry', (join) =>
      join.onRef('entry.account_id', '=', 'account.id').onRef('entry.number', '=', 'account.entries'),
    )
    .select(['account.touched_at', 'entry.at'])
    .where('account.id', '=', arg.account),
);

/** The service shows what the model holds. */
export async function compare(fixture: Fixture): Promise<void> {
  const { store, model, accountId, live, wallClock } = fixture;
  const { granted, available, reserved, spent } = model;
  assert.deepEqual(
    { ...(await readBalance(store.read, accountId)) },
    { granted, available, reserved, spent },
  );
  const touched = await store.read.first(findTouched, { account: accountId });
  assert.equal(touched?.touched_at, touched?.at, 'an account is touched with every entry');
  for (const task of model.tasks) {
    const caller = task.test ? { ...live, mode: 'test' as const } : live;
    const seen = await readTask({ caller, taskId: task.id, explain: false }, { store, wallClock });
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
