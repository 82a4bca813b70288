import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@mailproof/engine';
import { addressOf } from '../../support/address-of.ts';
import { openStore, type OpenStoreOptions } from '../../../src/start/open-store.ts';
import { claimAny } from '../../support/claim-any.ts';
import { createTask } from '../../../src/core/verify/tasks/create-task.ts';
import { runTask } from '../../../src/core/verify/tasks/run-task.ts';
import { createWholeSweep } from '../../../src/start/whole-store.ts';
import { createSlots, slotLimits } from '../../../src/core/verify/slots.ts';
import { createGivenUp } from '../../../src/core/verify/given-up.ts';
import { verifyOne } from '../../../src/core/verify/verify-one.ts';
import { startWorker } from '../../../src/core/verify/worker/start-worker.ts';
import { safe, unknown } from '../../support/outcomes.ts';

/**
 * A process that works until it is killed: `working-process.ts OPENING ACCOUNT`, the first in JSON. It writes a line for everything it has told
 * a caller: `task ID` for an accepted task, `charged` for a conclusive verdict.
 */
const [opening = '', accountId = ''] = process.argv.slice(2);
const clock = systemClock;
const wallClock = Date;
const store = await openStore(JSON.parse(opening) as OpenStoreOptions);
const registry = await store.joinRegistry();
const engine = {
  verify: async (email: string) => {
    await sleep(Math.random() * 10);
    return Math.random() < 0.3 ? unknown(email) : safe(email);
  },
};
const slots = createSlots({ clock, limits: slotLimits(100) });
const times = {
  taskRetentionMs: 86_400_000,
  taskDeadlineMs: 600_000,
  itemTimeoutMs: 30_000,
  deferRetryMs: 1_000,
};
const parts = {
  store,
  engine,
  sandbox: engine,
  slots,
  clock,
  wallClock,
  ...times,
  onProblem: () => undefined,
};
const caller = { accountId, keyId: 'key', mode: 'live' as const, plan: 'paid' as const };

await createWholeSweep({ store, registry, wallClock, taskRetentionMs: times.taskRetentionMs })();
const worker = startWorker({
  claim: () => store.write((tx) => claimAny(tx, { processId: registry.ownId, now: wallClock.now() })),
  run: (claim, signals) => runTask(claim, parts, signals),
  clock,
  limits: { tasksAtOnce: 8, pollMs: 50, drainMs: 1_000 },
  onProblem: () => undefined,
});

const givenUp = createGivenUp({ ...parts, onProblem: () => undefined });

async function askForSingles(): Promise<never> {
  for (;;) {
    const request = { requestId: randomUUID(), caller, idempotency: undefined, explain: false };
    const address = addressOf('single@example.com');
    const signal = new AbortController().signal;
    const answer = await verifyOne(
      { ...request, address, signal },
      {
        ...parts,
        recall: () => undefined,
        processId: registry.ownId,
        endStore: parts.store,
        givenUp,
        singleTimeoutMs: 30_000,
      },
    );
    if (answer.kind === 'verified' && answer.creditsUsed === 1) process.stdout.write('charged\n');
  }
}

async function askForTasks(): Promise<never> {
  for (;;) {
    const emails = Array.from(
      { length: 1 + Math.floor(Math.random() * 20) },
      (_, n) => `person${n}@example.com`,
    );
    const answer = await createTask(
      { caller, emails, name: undefined, requestId: randomUUID(), idempotency: undefined },
      { ...parts, wake: worker.wake },
    );
    if (answer.kind === 'created') process.stdout.write(`task ${answer.taskId}\n`);
    await sleep(Math.random() * 20);
  }
}

await Promise.all([askForSingles(), askForSingles(), askForSingles(), askForTasks()]);
