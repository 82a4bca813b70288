/** One account's thousand addresses at a tarpit, and what another's take elsewhere meanwhile. */
import type { WorldDescription } from '@mailproof/world';
import { startChild } from '../processes/child.ts';
import { worldModule } from '../processes/world-module.ts';
import { median, quantile, short } from '../results/numbers.ts';
import { briskDomain, fairnessModule, tarpitDomain, type FairnessTimes } from './fairness-module.ts';
import type { Size } from './parts.ts';
import { hostAddress } from './population.ts';

type FairnessFigures = {
  samples: number;
  wrong: number;
  idle: { medianMs: number; p95Ms: number };
  beside: { medianMs: number; p95Ms: number };
  ratio: number;
};

/** So long a reply that what the machine does is small beside it. */
const latencyMs = 50;
const briskHosts = 50;

export async function measureFairness(
  { share }: Size,
  tell: (message: string) => void,
): Promise<FairnessFigures> {
  const rounds = Math.max(2, 10 * share);
  const addresses = 40;
  tell(`fairness: ${rounds} rounds`);
  const internet = startChild(worldModule);
  const engine = startChild(fairnessModule);
  try {
    const description = describeWorld((2 * rounds + 1) * addresses);
    const world = await internet.ask({ kind: 'start', description, options: {} });
    return summarise(await engine.ask({ world, rounds, addresses, tarpitAddresses: 1_000 }));
  } finally {
    await Promise.all([engine.stop(), internet.stop()]);
  }
}

function describeWorld(domains: number): WorldDescription {
  const world: WorldDescription = {
    zones: { [tarpitDomain]: { mx: [[10, `mx.${tarpitDomain}`]], ttl: 3_600 } },
    hosts: { [`mx.${tarpitDomain}`]: { temper: { catchAll: true, replyDelayMs: 15_000 } } },
  };
  for (let host = 0; host < briskHosts; host += 1)
    world.hosts[`mx${host}.brisk.test`] = {
      address: hostAddress(host),
      temper: { catchAll: true },
      latencyMs,
    };
  for (let domain = 0; domain < domains; domain += 1) {
    const name = `mx.${briskDomain(domain)}`;
    world.zones[briskDomain(domain)] = { mx: [[10, name]], ttl: 3_600 };
    world.zones[name] = { a: [hostAddress(domain % briskHosts)], ttl: 3_600 };
  }
  return world;
}

function summarise({ idle, beside, wrong }: FairnessTimes): FairnessFigures {
  const figures = (times: number[]) => ({ medianMs: median(times), p95Ms: quantile(times, 0.95) });
  return {
    samples: idle.length,
    wrong,
    idle: figures(idle),
    beside: figures(beside),
    ratio: quantile(beside, 0.95) / quantile(idle, 0.95),
  };
}

export function describeFairness({ samples, idle, beside, ratio, wrong }: FairnessFigures): string[] {
  const row = ({ medianMs, p95Ms }: FairnessFigures['idle']): string =>
    `median ${short(medianMs)} ms, p95 ${short(p95Ms)} ms`;
  return [
    '## Fairness',
    '',
    `One account's 1,000 addresses of lists at a tarpit (15 s a reply), limits per destination lifted; another's single addresses elsewhere (${latencyMs} ms a reply), each at a domain and a host name of its own, alone and beside it in turns, ${short(samples)} times each.`,
    '',
    `- alone: ${row(idle)}`,
    `- beside the tarpit: ${row(beside)}`,
    `- p95: **${short(ratio)} ×** (goal: at most 1.25 ×: ${ratio <= 1.25 ? 'met' : 'not met'})`,
    wrong === 0 ? '- every verdict right' : `- **wrong verdicts**: ${wrong}`,
  ];
}
