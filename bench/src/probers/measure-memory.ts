import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, type Population } from '../engine/population.ts';
import { startChild } from '../processes/child.ts';
import { worldModule } from '../processes/world-module.ts';
import { openCentre } from './open-centre.ts';

export type MemoryFigures = { conversations: number; mostOpen: number; rssBeforeMb: number; rssMb: number };

const conversations = 500;
const perTask = 100;
/** So long that all are open before the first ends, which takes six round trips. */
const latencyMs = 5_000;
/** From the first to the last of them. */
const watchedMs = 45_000;

/** As many slow mail hosts as a prober may have conversations, each with an address to ask for, all at once. */
export async function measureMemory(): Promise<MemoryFigures> {
  const population: Population = {
    addresses: conversations,
    domains: conversations,
    hosts: 50,
    latencyMs,
    temper: { pipelining: false },
    ownNames: true,
  };
  const internet = startChild(worldModule);
  const { environment } = await internet.ask({ kind: 'populate', population });
  const settings = {
    ...environment,
    MAILPROOF_EGRESS_ALLOW: '192.0.2.0/24',
    // One account may have a fifth of them.
    MAILPROOF_VERIFICATIONS_AT_ONCE: '5000',
  };
  const centre = await openCentre({ settings, roles: ['api', 'worker'] });
  try {
    const { pid } = await centre.startProber(environment);
    const rssBeforeMb = rssOf(pid);
    await internet.ask({ kind: 'counts' });
    const emails = Array.from({ length: conversations }, (_, n) => addressOf(n, population).email);
    for (let from = 0; from < conversations; from += perTask)
      await centre.createTask(emails.slice(from, from + perTask));
    let rssMb = rssBeforeMb;
    const until = performance.now() + watchedMs;
    while (performance.now() < until) {
      await sleep(200);
      rssMb = Math.max(rssMb, rssOf(pid));
    }
    const { seen } = await internet.ask({ kind: 'counts' });
    return { conversations, mostOpen: seen.mostOpen, rssBeforeMb, rssMb };
  } finally {
    await centre.close();
    await internet.stop();
  }
}

/** Resident memory of a process, as the system counts it. */
function rssOf(pid: number): number {
  const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1_024;
}
