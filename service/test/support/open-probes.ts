import type { TestContext } from 'node:test';
import { systemClock, type Prober } from '@mailproof/engine';
import { createProbeExchange, createStoreSource } from '../../src/features/probers/probe-exchange.ts';
import { createProbeQueue } from '../../src/features/probers/probe-queue.ts';
import { runProber } from '../../src/features/probers/run-prober.ts';
import type { TestDatabase } from './databases.ts';

const never = new AbortController().signal;

/** Opens the hand-over of probes in one process: an asker's queue, the exchange, and probers that lease from it. */
export async function openProbes(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  const problems: string[] = [];
  let skewMs = 0;
  const parts = {
    store,
    clock: systemClock,
    wallClock: { now: () => Date.now() + skewMs },
    onProblem: (message: string) => void problems.push(message),
  };
  const exchange = createProbeExchange(parts);
  const openQueue = (through: Pick<typeof store, 'read' | 'write' | 'notify' | 'listen'>) =>
    createProbeQueue({ ...parts, store: through, processId: 'asker', reread: (evidence) => evidence });
  const queue = openQueue(store);
  t.after(async () => {
    await queue.close();
    exchange.close();
    await close();
  });
  const start = (prober: Prober, holder = 'prober') =>
    runProber({
      source: createStoreSource(exchange, holder),
      prober,
      clock: systemClock,
      egress: () => ['default'],
      onProblem: parts.onProblem,
    });
  return {
    store,
    exchange,
    queue,
    openQueue,
    problems,
    start,
    lease: (holder: string, places = 500) =>
      exchange.lease({ holder, places, egress: ['default'], waitMs: 0 }, never),
    passTime: (ms: number) => void (skewMs += ms),
  };
}
