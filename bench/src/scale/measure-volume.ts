/**
 * One worker as it comes, at all it can do: lists of 100 with ten addresses to a domain. From this follows what
 * an address costs in processor time, statements, bytes of log and bytes of disk (docs/scale.md).
 */
import { startChild } from '../processes/child.ts';
import { worldModule } from '../processes/world-module.ts';
import { addressOf, type Population } from '../engine/population.ts';
import { measureSizes, type TableSize } from './measure-sizes.ts';
import type { ScaleParts } from './measure-scaling.ts';
import { runWorkers, type WorkerRun } from './run-workers.ts';

export type Volume = { latencyMs: number; perTask: number; run: WorkerRun; sizes: TableSize[] };

const latencyMs = 100;
const perTask = 100;
const accounts = 24;

export async function measureVolume({ postgres, share, tell }: ScaleParts): Promise<Volume> {
  const addresses = 20_000 * share;
  const population: Population = { addresses, domains: addresses / 10, hosts: 200, latencyMs };
  const internet = startChild(worldModule);
  try {
    tell('volume: one worker');
    const { environment } = await internet.ask({ kind: 'populate', population });
    const settings = { ...environment, MAILPROOF_PACING: 'off' };
    const list = Array.from({ length: addresses }, (_, index) => addressOf(index, population).email);
    let sizes: TableSize[] = [];
    const run = await runWorkers(
      { name: 'volume', settings, accounts, addresses: list, perTask, workers: 1 },
      {
        postgres,
        world: internet,
        beforeEnd: async ({ database }) => {
          sizes = await measureSizes(database);
        },
      },
    );
    return { latencyMs, perTask, run, sizes };
  } finally {
    await internet.stop();
  }
}
