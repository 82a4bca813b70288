/** Somebody who polls a task, all the time and whatever else is going on. */
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../results/numbers.ts';
import type { ServiceUnderLoad } from './start-service-under-load.ts';

export type Polling = { asked: number; refused: number; p99Ms: number };

const everyMs = 50;
const withinMs = 10_000;

export function pollTask({ port, keys, task }: ServiceUnderLoad): { stop(): Promise<Polling> } {
  const latencies: number[] = [];
  const stopping = new AbortController();
  let refused = 0;

  async function poll(): Promise<void> {
    const sentAt = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/bulk-email-verification/${task}`, {
        headers: { authorization: `Bearer ${keys[0]}` },
        signal: AbortSignal.timeout(withinMs),
      });
      await response.text();
      if (response.status !== 200) refused += 1;
    } catch {
      refused += 1;
    }
    latencies.push(performance.now() - sentAt);
  }

  const polling = (async () => {
    while (!stopping.signal.aborted) {
      await poll();
      await pause(everyMs);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await polling;
      return { asked: latencies.length, refused, p99Ms: quantile(latencies, 0.99) };
    },
  };
}
