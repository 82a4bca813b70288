import { randomUUID } from 'node:crypto';
import type { BulkResultRecord } from '@mailproof/client';
import type { Engine, Outcome } from '@mailproof/engine';
import { readBalance } from '../../src/core/ledger/read-balance.ts';
import type { Caller } from '../../src/core/keys/authenticate.ts';
import type { ListWatch } from '../../src/features/lists/watch-lists.ts';
import type { Claim } from '../../src/core/verify/tasks/claim-task.ts';
import {
  createTask,
  type CreateTaskAnswer,
  type CreateTaskRequest,
} from '../../src/core/verify/tasks/create-task.ts';
import { readTask, type ReadTaskAnswer } from '../../src/core/verify/tasks/read-task.ts';
import { runTask, type RunTaskParts } from '../../src/core/verify/tasks/run-task.ts';
import { audit } from '../../src/start/whole-store.ts';
import { createWholeSweep } from '../../src/start/whole-store.ts';
import { createSlots } from '../../src/core/verify/slots.ts';
import type { TestDatabase } from './databases.ts';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { claimAny } from './claim-any.ts';
import { openAccount } from './open-account.ts';
import { safe } from './outcomes.ts';

const never = new AbortController().signal;

/** Everything a task needs, with time that stands still and an engine that answers as told. */
export async function openTaskFixture(database: TestDatabase, credits = 1_000) {
  const fixture = await database.open();
  const { store } = fixture;
  const time = createTestClock();
  const { wallClock } = time;
  const account = await openAccount({ store, wallClock }, credits);
  const registry = await store.joinRegistry();
  const asked: string[] = [];
  const problems: unknown[] = [];
  const mind = { answer: (email: string): Outcome | Promise<Outcome> => safe(email) };
  const engine: Pick<Engine, 'verify'> = { verify: async (email) => (asked.push(email), mind.answer(email)) };
  const settings = {
    taskDeadlineMs: 1_800_000,
    taskRetentionMs: 15 * 86_400_000,
    deferRetryMs: 300_000,
    itemTimeoutMs: 30_000,
  };
  const parts: RunTaskParts & { store: typeof store; listWatch: Pick<ListWatch, 'follow'> } = {
    ...settings,
    store,
    listWatch: { follow: () => ({ stopped: never, end: () => undefined }) },
    engine,
    sandbox: engine,
    slots: createSlots({ clock: time, limits: { total: 500, perAccount: 100, bulk: 450 } }),
    clock: time,
    wallClock,
    onProblem: (_, error) => problems.push(error),
  };

  const create = (caller: Caller, emails: string[], more: Partial<CreateTaskRequest> = {}) =>
    createTask(
      { caller, emails, name: undefined, requestId: randomUUID(), idempotency: undefined, ...more },
      { ...settings, store, wallClock, wake: () => undefined },
    );

  return {
    ...fixture,
    time,
    account,
    registry,
    asked,
    problems,
    mind,
    parts,
    create,
    /** The id of a task that must have been created. */
    created: async (caller: Caller, emails: string[], more: Partial<CreateTaskRequest> = {}) =>
      idOf(await create(caller, emails, more)),
    read: async (taskId: string, caller: Caller = account.live) =>
      withResults(await readTask({ caller, taskId, explain: true }, { store, wallClock })),
    /** The same without explanations, the results as they go out. */
    readPlainly: (taskId: string) =>
      readTask({ caller: account.live, taskId, explain: false }, { store, wallClock }),
    claim: (processId = registry.ownId, mode?: Claim['mode']) =>
      store.write((tx) => claimAny(tx, { processId, now: wallClock.now() }, mode)),
    run: (claimed: Claim, more: Partial<RunTaskParts> = {}) =>
      runTask(claimed, { ...parts, ...more }, { draining: never, cut: never }),
    balance: async () => {
      const { available, reserved, spent } = (await readBalance(store.read, account.accountId)) ?? {
        available: -1,
        reserved: -1,
        spent: -1,
      };
      return [available, reserved, spent];
    },
    /** The clock of a process that stands still: no timer of it ever comes due. */
    stoppedClock: { now: () => time.now(), after: () => () => undefined },
    sweep: createWholeSweep({ store, registry, wallClock, taskRetentionMs: settings.taskRetentionMs }),
    violations: async () => (await audit({ store })).violations,
    close: async () => {
      await registry.leave();
      await fixture.close();
    },
  };
}

function withResults(answer: ReadTaskAnswer) {
  if (answer.kind !== 'task') return answer;
  const { resultsJson, ...task } = answer;
  if (resultsJson === undefined) return { ...task, results: undefined };
  const byAddress = JSON.parse(resultsJson) as Record<string, BulkResultRecord>;
  return { ...task, results: Object.values(byAddress) };
}

function idOf(answer: CreateTaskAnswer): string {
  if (answer.kind !== 'created') throw new Error(answer.kind);
  return answer.taskId;
}

/** So many different addresses. */
export function addresses(count: number, domain = 'example.com'): string[] {
  return Array.from({ length: count }, (_, n) => `person${n}@${domain}`);
}
