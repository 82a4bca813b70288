import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@mailproof/engine';
import type { WorldDescription } from '@mailproof/world';
import { answerQuestions, startChild, type ChildModule } from '../processes/child.ts';
import { worldModule } from '../processes/world-process.ts';
import { median, quantile, short } from '../results.ts';
import { asTheServiceRuns } from './engine-process.ts';
import { createOurEngine, orderFor, type EngineLike } from './engines.ts';
import type { Size } from './parts.ts';
import { hostAddress } from './population.ts';

/** Asks an engine for one account's addresses, alone and beside another's at a tarpit, in turns. */
type FairnessQuestion = {
  world: { dnsServer: string; smtpPort: number };
  rounds: number;
  /** Addresses of the quick account in each half of a round, four at a time. */
  addresses: number;
  tarpitAddresses: number;
};

/** Milliseconds of each verification of the quick account. */
type FairnessTimes = { idle: number[]; beside: number[]; wrong: number };

const fairnessModule: ChildModule<FairnessQuestion, FairnessTimes> = {
  path: import.meta.filename,
  ...asTheServiceRuns,
};

const tarpitDomain = 'tarpit.test';

/** Every address of the quick account is at a domain and a mail host of its own: nothing is known, nothing shared. */
const briskDomain = (index: number): string => `brisk${index}.test`;

const inFlight = 4;
const patienceMs = 60_000;

answerQuestions(
  import.meta.filename,
  async ({ world, rounds, addresses, tarpitAddresses }: FairnessQuestion) => {
    const engine = createOurEngine(orderFor(world, { openConversations: 5_000, starttls: 'demanded' }));
    const times: FairnessTimes = { idle: [], beside: [], wrong: 0 };
    let next = 0;
    const timeSome = async (into: number[]): Promise<void> => {
      let left = addresses;
      const worker = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const startedAt = performance.now();
          const status = await verifyQuick(engine, (next += 1) - 1);
          into.push(performance.now() - startedAt);
          if (status !== 'catch_all') times.wrong += 1;
        }
      };
      await Promise.all(Array.from({ length: inFlight }, worker));
    };
    await timeSome([]);
    for (let round = 0; round < rounds; round += 1) {
      await timeSome(times.idle);
      const leave = await occupyTarpit(engine, tarpitAddresses);
      await timeSome(times.beside);
      await leave();
    }
    engine.close();
    return times;
  },
);

async function verifyQuick(engine: EngineLike, index: number): Promise<string> {
  const outcome = await engine.verify(`somebody@${briskDomain(index)}`, {
    deadline: systemClock.now() + patienceMs,
    signal: new AbortController().signal,
    asker: { urgency: 'single', account: 'quick' },
  });
  return outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
}

/** The other account asks for all of its addresses at once, and leaves when it is told to. */
async function occupyTarpit(engine: EngineLike, addresses: number): Promise<() => Promise<void>> {
  const { signal, abort } = leavable();
  const asker = { urgency: 'bulk', account: 'slow' } as const;
  const deadline = systemClock.now() + patienceMs;
  const before = engine.counts().conversations;
  const all = Array.from({ length: addresses }, (_, index) =>
    engine.verify(`person${index}@${tarpitDomain}`, { deadline, signal, asker }),
  );
  const ended = Promise.allSettled(all);
  while (engine.counts().conversations === before) await pause(10);
  return async () => {
    abort();
    await ended;
  };
}

function leavable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('the measurement is over')) };
}

/** One account's thousand addresses at a tarpit, and what another's take elsewhere meanwhile. */
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
