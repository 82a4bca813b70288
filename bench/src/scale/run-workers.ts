/** So many workers on one database, from the moment the tasks are due to the last completion. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchPostgres } from '../processes/bench-postgres.ts';
import { cpuTimeMs } from '../processes/cpu-time.ts';
import { sum } from '../results/numbers.ts';
import type { Work } from './count-work.ts';
import { openInstallation, type Installation, type InstallationOrder } from './open-installation.ts';

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

export async function runWorkers(
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
