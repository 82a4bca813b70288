import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { releaseTask, renewLease } from '../../src/core/verify/tasks/claim-task.ts';
import { claimAny } from '../support/claim-any.ts';
import { createTask } from '../../src/core/verify/tasks/create-task.ts';
import { deferItem, recordResult } from '../../src/core/verify/tasks/items.ts';
import { deadlineReached, unverified, type Result } from '../../src/core/verify/tasks/result.ts';
import { settleTask } from '../../src/core/verify/tasks/settle-task.ts';
import { safe } from '../support/outcomes.ts';
import type { Command } from './command.ts';
import { complete, day, hold, keyAt, type ModelTask } from './model.ts';
import { pick, taskTimes, type Held, type Fixture } from './fixture.ts';

/** What callers of bulk tasks and workers do, zombies included. */
export async function doCreateTask(
  fixture: Fixture,
  command: Command & { kind: 'create_task' },
): Promise<void> {
  const { store, model, live, test, wallClock } = fixture;
  const { addresses, duplicates, rejected, key } = command;
  const emails = Array.from({ length: addresses }, (_, n) => `person${n}@example.com`);
  if (addresses > 0) emails.push(...Array.from({ length: duplicates }, () => 'PERSON0@example.com'));
  emails.push(...Array.from({ length: rejected }, () => 'nonsense'));
  if (emails.length === 0) return;
  const body = JSON.stringify(emails);
  const idempotency = key === undefined ? undefined : { key: String(key), bodyHash: body };
  const caller = command.test ? test : live;
  const answer = await createTask(
    { caller, emails, name: undefined, requestId: randomUUID(), idempotency },
    { ...taskTimes, store, wallClock, wake: () => undefined },
  );
  const known = keyAt(model, key, wallClock.now());
  if (known !== undefined) {
    const same = known.endpoint === 'task' && known.body === body;
    assert.equal(answer.kind, same ? 'created' : 'idempotency_mismatch');
    if (answer.kind === 'created') assert.deepEqual([answer.replayed, answer.taskId], [true, known.taskId]);
    return;
  }
  if (!command.test && (model.frozen || model.available < emails.length)) {
    assert.equal(answer.kind, model.frozen ? 'account_frozen' : 'insufficient_credits');
    return;
  }
  assert.ok(answer.kind === 'created' && !answer.replayed);
  addTask(fixture, { id: answer.taskId, count: addresses, isTest: command.test });
  if (key !== undefined) {
    model.keys.set(key, {
      endpoint: 'task',
      body,
      inProgress: false,
      owner: '',
      expiresAt: wallClock.now() + day,
      taskId: answer.taskId,
    });
  }
}

function addTask(
  fixture: Fixture,
  { id, count, isTest }: { id: string; count: number; isTest: boolean },
): void {
  const { model, wallClock } = fixture;
  const items = Array.from({ length: count }, () => ({
    done: false,
    conclusive: false,
    nextAt: wallClock.now(),
  }));
  const times = {
    nextAt: wallClock.now(),
    deadlineAt: wallClock.now() + taskTimes.taskDeadlineMs,
    expiresAt: 0,
  };
  const task: ModelTask = {
    id,
    test: isTest,
    status: 'waiting',
    items,
    fence: 0,
    leaseUntil: 0,
    owner: '',
    ...times,
  };
  model.tasks.push(task);
  if (!isTest) hold(model, count);
  if (count === 0) complete(model, task, wallClock.now());
}

export async function doClaim(fixture: Fixture): Promise<void> {
  const { store, model, registry, claims, wallClock } = fixture;
  const due = model.tasks.filter(
    (task) =>
      task.status !== 'completed' && task.nextAt <= wallClock.now() && task.leaseUntil <= wallClock.now(),
  );
  const claim = await store.write((tx) => claimAny(tx, { processId: registry.ownId, now: wallClock.now() }));
  if (due.length === 0) {
    assert.equal(claim, undefined);
    return;
  }
  assert.ok(claim);
  const task = due.find(({ id }) => id === claim.taskId);
  assert.ok(task, 'a task was claimed that is not due or is held');
  assert.equal(claim.fence, task.fence + 1);
  Object.assign(task, {
    status: 'running',
    fence: claim.fence,
    leaseUntil: wallClock.now() + 30_000,
    owner: registry.ownId,
  });
  claims.push({ claim, task });
}

/** The worker's fence is the task's: what it writes counts. */
function isCurrent({ model }: Fixture, { claim, task }: Held): boolean {
  return model.tasks.includes(task) && task.status === 'running' && task.fence === claim.fence;
}

export async function doRecord(
  fixture: Fixture,
  { which, position, conclusive }: Command & { kind: 'record' },
): Promise<void> {
  const { store, claims } = fixture;
  const held = pick(claims, which);
  const item = held?.task.items[position];
  if (held === undefined || item === undefined) return;
  const outcome = safe('person@example.com');
  const result: Result =
    conclusive && outcome.kind === 'verdict'
      ? { verdict: outcome.verdict, explanation: outcome.explanation, conclusive }
      : unverified('person@example.com', deadlineReached);
  const answer = await store.write((tx) => recordResult(tx, held.claim, { position, result }));
  assert.equal(
    answer.kind,
    !isCurrent(fixture, held) ? 'stale_fence' : item.done ? 'not_pending' : 'written',
  );
  if (answer.kind === 'written') Object.assign(item, { done: true, conclusive });
}

export async function doDefer(
  fixture: Fixture,
  { which, position, byMs }: Command & { kind: 'defer' },
): Promise<void> {
  const { store, claims, wallClock } = fixture;
  const held = pick(claims, which);
  const item = held?.task.items[position];
  if (held === undefined || item === undefined) return;
  const answer = await store.write((tx) =>
    deferItem(tx, held.claim, { position, nextAt: wallClock.now() + byMs, visits: [] }),
  );
  assert.equal(
    answer.kind,
    !isCurrent(fixture, held) ? 'stale_fence' : item.done ? 'not_pending' : 'written',
  );
}

export async function doSettleTask(
  fixture: Fixture,
  { which }: Command & { kind: 'settle_task' },
): Promise<void> {
  const { store, model, claims, wallClock } = fixture;
  const held = pick(claims, which);
  if (held === undefined) return;
  const answer = await store.write((tx) =>
    settleTask(tx, held.claim, { now: wallClock.now(), retentionMs: taskTimes.taskRetentionMs }),
  );
  const finished = held.task.items.every((item) => item.done);
  assert.equal(
    answer.kind,
    !isCurrent(fixture, held) ? 'stale_fence' : finished ? 'completed' : 'not_finished',
  );
  if (answer.kind === 'completed') complete(model, held.task, wallClock.now());
}

export async function doPutBack(fixture: Fixture, { which }: Command & { kind: 'put_back' }): Promise<void> {
  const { store, claims, wallClock } = fixture;
  const held = pick(claims, which);
  if (held === undefined) return;
  const current = isCurrent(fixture, held);
  await store.write((tx) => releaseTask(tx, held.claim, wallClock.now() + 1_000));
  if (current) Object.assign(held.task, { leaseUntil: 0, owner: '', nextAt: wallClock.now() + 1_000 });
}

export async function doRenew(fixture: Fixture, { which }: Command & { kind: 'renew' }): Promise<void> {
  const { store, claims, wallClock } = fixture;
  const held = pick(claims, which);
  if (held === undefined) return;
  const ours = isCurrent(fixture, held) && held.task.owner !== '';
  assert.equal(await store.write((tx) => renewLease(tx, held.claim, wallClock.now())), ours);
  if (ours) held.task.leaseUntil = wallClock.now() + 30_000;
}
