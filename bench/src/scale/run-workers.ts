/** Runs workers on one database, from the moment the tasks are due to the last completion. */
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, type Population } from '../engine/population.ts';
import { startChild } from '../processes/child.ts';
import { cpuTimeMs } from '../processes/cpu-time.ts';
import type { BenchPostgres } from '../processes/servers.ts';
import { worldModule } from '../processes/world-process.ts';
import { sum } from '../results.ts';
import {
  openInstallation,
  measureSizes,
  type Work,
  type Installation,
  type InstallationOrder,
  type TableSize,
} from './installation.ts';

export type WorkerRun = {
  workers: number;
  addresses: number;
  tasks: number;
  /** By the database's clock. */
  ms: number;
  perSecond: number;
  /** Addresses whose result was not what the world says, or that were not charged. */
  wrong: number;
  work: Work;
  creation: Work;
  /** While the tasks ran, together and of each worker. */
  cpuMs: { database: number; world: number; workers: number[] };
  /** Connections that the workers had open at the end, all of them together. */
  connections: number;
};

type RunParts = {
  postgres: BenchPostgres;
  world: { pid: number };
  /** Looks at the installation before it is taken down. */
  beforeEnd?: (installation: Installation) => Promise<void>;
};

const lookEveryMs = 200;
const endWithinMs = 240_000;

async function runWorkers(
  order: InstallationOrder & { workers: number },
  parts: RunParts,
): Promise<WorkerRun> {
  const installation = await openInstallation(parts.postgres, order);
  const processes: Awaited<ReturnType<Installation['startWorker']>>[] = [];
  try {
    processes.push(
      ...(await Promise.all(Array.from({ length: order.workers }, () => installation.startWorker()))),
    );
    const measured = await measure(
      installation,
      processes.map(({ pid }) => pid),
      parts,
    );
    await Promise.all(processes.map((worker) => worker.stop()));
    await parts.beforeEnd?.(installation);
    return { ...measured, ...(await readResults(installation)), creation: installation.creation };
  } finally {
    await Promise.all(processes.map((worker) => worker.stop()));
    await installation.close();
  }
}

type Measured = Pick<
  WorkerRun,
  'workers' | 'addresses' | 'ms' | 'perSecond' | 'work' | 'cpuMs' | 'connections'
>;

async function measure(
  { database, counter }: Installation,
  pids: number[],
  { postgres, world }: RunParts,
): Promise<Measured> {
  const cpu = () => ({
    database: postgres.cpuMs(),
    world: cpuTimeMs(world.pid) ?? NaN,
    workers: pids.map((pid) => cpuTimeMs(pid) ?? NaN),
  });
  await counter.restart();
  const before = cpu();
  const [begun] = await database.ask(
    `with due as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as at),
          released as (update task set next_at = due.at from due returning 1)
     select at::float8, (select count(*) from released)::int as tasks, pg_notify('mailproof_tasks', '') from due`,
  );
  await untilCompleted(database);
  const after = cpu();
  const work = await counter.read();
  const [end] = await database.ask(
    `select max(completed_at)::float8 as at, sum(total)::int as addresses,
       (select count(*) from pg_stat_activity where application_name = 'mailproof' and pid <> pg_backend_pid()
          and datname = current_database())::int as connections
     from task`,
  );
  const ms = Number(end?.['at']) - Number(begun?.['at']);
  const addresses = Number(end?.['addresses']);
  return {
    workers: pids.length,
    addresses,
    ms,
    perSecond: (1_000 * addresses) / ms,
    work,
    cpuMs: {
      database: after.database - before.database,
      world: after.world - before.world,
      workers: after.workers.map((used, index) => used - (before.workers[index] ?? NaN)),
    },
    connections: Number(end?.['connections']),
  };
}

async function untilCompleted(database: Installation['database']): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < endWithinMs;) {
    const [left] = await database.ask(`select 1 as left from task where status <> 'completed' limit 1`);
    if (left === undefined) return;
    await pause(lookEveryMs);
  }
  throw new Error(`the tasks did not end within ${endWithinMs / 1_000} s`);
}

async function readResults({ database }: Installation): Promise<Pick<WorkerRun, 'tasks' | 'wrong'>> {
  // Mailboxes that exist begin with "alive", see engine/population.ts.
  const [items] = await database.ask(
    `select count(*) filter (where verdict::json ->> 'status' <>
       case when email like 'alive%' then 'safe' else 'invalid' end)::int as wrong,
       count(distinct task_id)::int as tasks, count(*)::int as items from item`,
  );
  const [books] = await database.ask(
    `select sum(spent)::int as spent, sum(reserved)::int as reserved from account`,
  );
  const uncharged = Math.abs(Number(items?.['items']) - Number(books?.['spent']));
  return {
    tasks: Number(items?.['tasks']),
    wrong: sum([Number(items?.['wrong']), uncharged, Number(books?.['reserved'])]),
  };
}

export type Scaling = {
  latencyMs: number;
  verificationsAtOnce: number;
  ownEgress: boolean;
  accounts: number;
  perTask: number;
  runs: WorkerRun[];
  /** Against one worker, by the number of workers. */
  ratios: { workers: number; ratio: number; goal: number }[];
};

type ScaleParts = {
  postgres: BenchPostgres;
  share: number;
  tell: (message: string) => void;
  /** Whether each worker has an egress address of its own. */
  ownEgress: boolean;
};

const verificationsAtOnce = 15;
/** An account has a fifth of a worker's places and 16 tasks at most, so it takes several to keep four workers busy. */
const accounts = 24;
const perTask = 10;
const latencyMs = 100;
const addressesPerWorker = 1_000;
const goals = [
  { workers: 2, goal: 1.9 },
  { workers: 4, goal: 3.6 },
];

/**
 * One, two and four workers, each with as many addresses. The question is whether the database (claims, leases, fences,
 * results, charges) slows down workers beside each other.
 *
 * All processes share the machine's few cores, so a worker is kept small: it may have only a few verifications under
 * way, and its time is the mail hosts' latency. Every address is at a domain and a mail host of its own, so that none
 * is quicker because another was asked before.
 */
export async function measureScaling({ postgres, share, tell, ownEgress }: ScaleParts): Promise<Scaling> {
  const each = addressesPerWorker * share;
  const addresses = each * 4;
  const population: Population = { addresses, domains: addresses, hosts: 50, latencyMs, ownNames: true };
  const internet = startChild(worldModule);
  const runs: WorkerRun[] = [];
  try {
    const { environment } = await internet.ask({ kind: 'populate', population });
    const settings = {
      ...environment,
      MAILPROOF_PACING: 'off',
      MAILPROOF_VERIFICATIONS_AT_ONCE: `${verificationsAtOnce}`,
    };
    for (const workers of [1, 2, 4]) {
      tell(`scaling: workers: ${workers}`);
      const list = Array.from({ length: each * workers }, (_, index) => addressOf(index, population).email);
      const order = { name: `scaling_${workers}`, settings, accounts, addresses: list, perTask, ownEgress };
      runs.push(await runWorkers({ ...order, workers }, { postgres, world: internet }));
    }
  } finally {
    await internet.stop();
  }
  const one = runs[0]?.perSecond ?? NaN;
  const ratios = goals.map(({ workers, goal }) => ({
    workers,
    goal,
    ratio: (runs.find((run) => run.workers === workers)?.perSecond ?? NaN) / one,
  }));
  return { latencyMs, verificationsAtOnce, ownEgress, accounts, perTask, runs, ratios };
}

export type Volume = { latencyMs: number; perTask: number; run: WorkerRun; sizes: TableSize[] };

const volumeLatencyMs = 100;
const volumePerTask = 100;
const volumeAccounts = 24;

/**
 * One worker as it comes, at all it can do: lists of 100 with ten addresses to a domain. From this follows what
 * an address costs in processor time, statements, bytes of log and bytes of disk (docs/scale.md).
 */
export async function measureVolume({ postgres, share, tell }: ScaleParts): Promise<Volume> {
  const addresses = 20_000 * share;
  const population: Population = {
    addresses,
    domains: addresses / 10,
    hosts: 200,
    latencyMs: volumeLatencyMs,
  };
  const internet = startChild(worldModule);
  try {
    tell('volume: one worker');
    const { environment } = await internet.ask({ kind: 'populate', population });
    const settings = { ...environment, MAILPROOF_PACING: 'off' };
    const list = Array.from({ length: addresses }, (_, index) => addressOf(index, population).email);
    let sizes: TableSize[] = [];
    const run = await runWorkers(
      {
        name: 'volume',
        settings,
        accounts: volumeAccounts,
        addresses: list,
        perTask: volumePerTask,
        workers: 1,
      },
      {
        postgres,
        world: internet,
        beforeEnd: async ({ database }) => {
          sizes = await measureSizes(database);
        },
      },
    );
    return { latencyMs: volumeLatencyMs, perTask: volumePerTask, run, sizes };
  } finally {
    await internet.stop();
  }
}
