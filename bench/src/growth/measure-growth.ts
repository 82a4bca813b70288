/** What one store costs, whatever it holds. Everything is timed from outside, on the store as the service opens it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore, type Store } from '../../../service/src/index.ts';
import { readLedger } from '../../../service/src/core/ledger/read-ledger.ts';
import { createTask } from '../../../service/src/core/verify/tasks/create-task.ts';
import {
  eraseExpiredTasks,
  taskRowsErasedAtOnce,
} from '../../../service/src/core/verify/tasks/erase-expired-tasks.ts';
import { listTasks } from '../../../service/src/core/verify/tasks/list-tasks.ts';
import { readTaskQueue } from '../../../service/src/core/verify/tasks/read-task-queue.ts';
import { createEraser } from '../../../service/src/core/upkeep/erase-in-slices.ts';
import { watchAllBooks } from '../../../service/src/start/whole-store.ts';
import { watchLoop } from '../engine/watch-loop.ts';
import { startWatchedService } from '../lists/watched-service.ts';
import { collectOwnTimes, watchStolenTime } from '../processes/lost-processor-time.ts';
import { spreadOf, type Spread } from '../results/numbers.ts';
import type { GrownStore } from './grown-store.ts';
import type { ClaimFigures } from './measure-claims.ts';

export type GrowthFigures = ClaimFigures & StoreFigures;

type StoreFigures = {
  database: 'SQLite' | 'PostgreSQL';
  tasks: number;
  addressesInTask: number;
  bytes: number;
  loadSeconds: number;
  /** From the command until it listens, with everything still to be audited. */
  startMs: number;
  /** Entries that are audited beside it a second, and the longest that the event loop worked without a pause meanwhile. */
  firstAuditPerSecond: number;
  firstAuditStallMs: number;
  /** The same in moments when the host gave no processor time to other machines, which counts as work of the thread. */
  firstAuditOwnStallMs: number;
  firstAuditStolenShare: number;
  /** The same with nothing new. */
  nextStartMs: number;
  nextAuditMs: number;
  /** An audit after a hundred new tasks. */
  newsAuditMs: number;
  newsAuditStallMs: number;
  /** The most processor time of the thread in it from one look of a timer to the next. */
  newsAuditWorkMs: number;
  /** What the operator's Health page and the metrics read of the queue. */
  queueMs: Spread;
  ledgerPageMs: Spread;
  taskPageMs: Spread;
  /** Tasks of 100 addresses, sixteen at once. */
  createdPerSecond: number;
  erasedPerSecond: number;
  /** From the first statement of a slice to the end of its commit. */
  eraseMs: Spread;
  longestEraseMs: number;
  /** Of those around which the host gave no processor time to other machines. */
  longestOwnEraseMs: number;
  /** Slices that the store undid because they took long; they are among those that were timed. */
  slicesUndone: number;
  /** Of the time of all processors meanwhile, what other machines on the same host had. */
  stolenShare: number;
};

const rounds = 200;

export async function measureGrowth(
  grown: GrownStore,
  tell: (message: string) => void,
): Promise<StoreFigures> {
  const { database, loadSeconds, past } = grown;
  const { tasks, addressesInTask } = past;
  const bytes = await grown.bytes();
  tell(`${database}, ${tasks}: the start`);
  const first = await measureStart(grown);
  await grown.markAudited();
  const next = await measureStart(grown);
  tell(`${database}, ${tasks}: pages, new tasks, erasing`);
  const store = await openStore({ ...grown.settings, check: false });
  try {
    return {
      database,
      tasks,
      addressesInTask,
      bytes,
      loadSeconds,
      startMs: first.startMs,
      firstAuditPerSecond: first.auditedPerSecond,
      firstAuditStallMs: first.stallMs,
      firstAuditOwnStallMs: first.ownStallMs,
      firstAuditStolenShare: first.stolenShare,
      nextStartMs: next.startMs,
      nextAuditMs: next.checkedMs,
      ...(await measureWork(store, grown)),
      ...(await measureErasing(store, grown)),
    };
  } finally {
    await store.close();
  }
}

/** So long the first audit is watched; with years to read it takes longer. */
const watchedMs = 30_000;
const answersBefore = 5;

async function measureStart({ settings, folder, entries }: GrownStore) {
  const env = {
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: settings.dataDir,
    MAILPROOF_RESOLVER_PROBES: 'none',
    ...(settings.databaseUrl === undefined ? {} : { MAILPROOF_DATABASE_URL: settings.databaseUrl }),
  };
  const beganAt = performance.now();
  const service = await startWatchedService(['api'], { env, folder });
  const startMs = performance.now() - beganAt;
  const stolenShare = watchStolenTime();
  try {
    // Its first answers have the service compile what they need, which is no work of the audit.
    for (let n = 0; n < answersBefore; n += 1) await (await fetch(`${service.url}/readyz`)).text();
    await service.beginPhase();
    let audited = 0;
    while (audited < entries && performance.now() - beganAt < startMs + watchedMs) {
      const response = await fetch(`${service.url}/readyz`);
      const { checking } = (await response.json()) as { checking?: string[] };
      if (response.status === 200) audited = checking === undefined ? entries : auditedOf(checking);
      await pause(50);
    }
    const checkedMs = performance.now() - beganAt;
    const [process] = await service.endPhase();
    const auditedPerSecond = (1_000 * audited) / (checkedMs - startMs);
    const { stallCpuMs: stallMs = 0, stallOwnCpuMs: ownStallMs = 0 } = process ?? {};
    return { startMs, checkedMs, auditedPerSecond, stallMs, ownStallMs, stolenShare: stolenShare() };
  } finally {
    await service.stop();
  }
}

/** As in `ledger: 120000 of 480000 new entries audited`. */
function auditedOf(checking: string[]): number {
  return Number(/ledger: (\d+) of/.exec(checking.join(' '))?.[1] ?? 0);
}

async function measureWork(store: Store, { past }: GrownStore) {
  const { accountId } = past;
  const wallClock = { now: () => Date.now() };
  const ledgerPageMs = await timed(() => readLedger({ accountId, limit: 20, from: undefined }, { store }));
  const taskPageMs = await timed(() =>
    listTasks({ accountId, limit: 20, after: undefined }, { store, wallClock }),
  );
  const queueMs = await timed(() => readTaskQueue({ store }), 50);
  const beganAt = performance.now();
  await createMany(store, accountId);
  const createdPerSecond = rounds / ((performance.now() - beganAt) / 1_000);
  const news = await measureAudit(store);
  return { ledgerPageMs, taskPageMs, queueMs, createdPerSecond, ...news };
}

async function timed(work: () => Promise<unknown>, times = rounds): Promise<Spread> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const beganAt = performance.now();
    await work();
    took.push(performance.now() - beganAt);
  }
  return spreadOf(took);
}

async function createMany(store: Store, accountId: string): Promise<void> {
  const emails = Array.from({ length: 100 }, (_, n) => `person${n}@example.com`);
  const parts = {
    store,
    wallClock: { now: () => Date.now() },
    taskDeadlineMs: 3_600_000,
    taskRetentionMs: 3_600_000,
    wake: () => undefined,
  };
  const caller = { accountId, keyId: 'bench', mode: 'live' as const, plan: 'paid' as const };
  let left = rounds;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const request = { caller, emails, name: undefined, requestId: randomUUID(), idempotency: undefined };
      const { kind } = await createTask(request, parts);
      if (kind !== 'created') throw new Error(kind);
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

async function measureAudit(store: Store) {
  const wallClock = { now: () => Date.now() };
  const watch = watchAllBooks({ store, wallClock, onViolation: () => undefined });
  const loop = watchLoop();
  const beganAt = performance.now();
  const { violations } = await watch.look();
  const newsAuditMs = performance.now() - beganAt;
  const { loopDelayMaxMs, loopWorkMaxMs } = loop.stop();
  if (violations.length > 0) throw new Error(JSON.stringify(violations.slice(0, 3)));
  return { newsAuditMs, newsAuditStallMs: loopDelayMaxMs, newsAuditWorkMs: loopWorkMaxMs };
}

/** All past tasks have expired at once: how fast they go, and how long others wait for a slice. */
async function measureErasing(store: Store, { past }: GrownStore) {
  const wallClock = { now: () => past.expiresAt };
  const took = collectOwnTimes();
  let slicesUndone = 0;
  const timedWrite =
    (write: Store['writeBriefly']): Store['writeBriefly'] =>
    async (operation, serialKey) => {
      let beganAt = performance.now();
      try {
        return await write((tx) => {
          beganAt = performance.now();
          return operation(tx);
        }, serialKey);
      } catch (error) {
        slicesUndone += 1;
        throw error;
      } finally {
        took.push(performance.now() - beganAt);
      }
    };
  const timedStore = {
    carryOver: store.carryOver,
    writeRepeatable: timedWrite(store.writeRepeatable),
    writeBriefly: timedWrite(store.writeBriefly),
  };
  const stolenShare = watchStolenTime();
  const erase = createEraser(eraseExpiredTasks, { most: taskRowsErasedAtOnce, serialKey: 'sweep' });
  const beganAt = performance.now();
  let erased = 0;
  while (performance.now() - beganAt < 10_000) {
    const more = await erase({ store: timedStore, wallClock });
    if (more === 0) break;
    erased += more;
  }
  const erasedPerSecond = erased / ((performance.now() - beganAt) / 1_000);
  return {
    erasedPerSecond,
    eraseMs: spreadOf(took.all),
    longestEraseMs: Math.max(0, ...took.all),
    longestOwnEraseMs: Math.max(0, ...took.own()),
    slicesUndone,
    stolenShare: stolenShare(),
  };
}
