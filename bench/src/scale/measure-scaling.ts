/**
 * One, two and four workers, each with as many addresses to do: what is asked is whether the database and what
 * goes through it (claims, leases, fences, results, charges) stand in the way of workers beside each other.
 *
 * All processes share the machine's few cores, so a worker is kept small: it may have only a few verifications under
 * way, and its time is the mail hosts' latency. Every address is at a domain and a mail host of its own, so that
 * none is quicker because another was asked before.
 */
import { startChild } from '../processes/child.ts';
import { worldModule } from '../processes/world-module.ts';
import { addressOf, type Population } from '../engine/population.ts';
import type { BenchPostgres } from '../processes/bench-postgres.ts';
import { runWorkers, type WorkerRun } from './run-workers.ts';

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

export type ScaleParts = {
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
