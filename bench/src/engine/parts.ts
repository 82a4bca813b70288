/** The questions that the benchmark of the engine answers, each at the size it is run at. */
import { median } from '../results/numbers.ts';
import type { Population } from './population.ts';
import { connectInWorld, verifyInWorld, type Order, type Run } from './run-in-world.ts';

export type Size = { share: number; rounds: number };

/** Told what is being done: a run takes minutes. */
type Progress = (message: string) => void;

const manyHosts = (addresses: number, latencyMs: number): Population => ({
  addresses,
  domains: Math.max(1, Math.ceil(addresses / 10)),
  hosts: Math.min(200, Math.max(1, Math.ceil(addresses / 50))),
  latencyMs,
});

export type VolumeFigures = {
  rounds: { ours: Run; plain: Run }[];
  rateRatio: number;
  cpuRatio: number;
};

/** Ours against our own parts without pipelining, reuse and memory, at the same number of open conversations. */
export async function measureVolume({ share, rounds }: Size, tell: Progress): Promise<VolumeFigures> {
  const population = manyHosts(10_000 * share, 100);
  const order = { population, inFlight: 2_000, openConversations: 200, starttls: 'demanded' } as const;
  const pairs: VolumeFigures['rounds'] = [];
  for (let round = 0; round < rounds; round += 1) {
    const runs: Partial<Record<'ours' | 'plain', Run>> = {};
    for (const variant of round % 2 === 0 ? (['ours', 'plain'] as const) : (['plain', 'ours'] as const)) {
      tell(`volume, round ${round + 1} of ${rounds}: ${variant}`);
      runs[variant] = await verifyInWorld({ ...order, variant });
    }
    const { ours, plain } = runs;
    if (ours !== undefined && plain !== undefined) pairs.push({ ours, plain });
  }
  return {
    rounds: pairs,
    rateRatio: median(pairs.map(({ ours, plain }) => plain.ms / ours.ms)),
    cpuRatio: median(pairs.map(({ ours, plain }) => plain.cpuMs / ours.cpuMs)),
  };
}

/** Slow hosts, each address with a mail host of its own name: as many conversations as addresses, all at once. */
export function measureOpenAtOnce({ share }: Size, tell: Progress): Promise<Run> {
  const conversations = 5_000 * share;
  tell(`${conversations} conversations at once`);
  return verifyInWorld({
    variant: 'ours',
    population: {
      addresses: conversations,
      domains: conversations,
      hosts: 50,
      latencyMs: 1_700,
      temper: { pipelining: false },
      ownNames: true,
    },
    inFlight: conversations,
    // Each lasts six round trips, so all are open before the first ends.
    beginPerSecond: 1_000,
    openConversations: 5_000,
    starttls: 'demanded',
  });
}

export type CostFigures = { connection: Run; alone: Run; secured: Run; inList: Run };

/** Hosts that answer at once: what is left is what it costs us. */
export async function measureCost({ share }: Size, tell: Progress): Promise<CostFigures> {
  const addresses = 3_000 * share;
  const alone: Population = { addresses, domains: addresses, hosts: 50, latencyMs: 0, ownNames: true };
  const offering: Population = { ...alone, temper: { starttls: 'offered' } };
  const order = { variant: 'ours', inFlight: 4, openConversations: 200, starttls: 'demanded' } as const;
  const run = (what: string, own: Pick<Order, 'population'> & Partial<Order>): Promise<Run> => {
    tell(`cost: ${what}`);
    return verifyInWorld({ ...order, ...own });
  };
  tell('cost: a connection alone');
  return {
    connection: await connectInWorld(alone, { inFlight: 4 }),
    alone: await run('each address alone', { population: alone }),
    secured: await run('the same inside TLS', { population: offering, starttls: 'always' }),
    inList: await run('as a list', { population: manyHosts(addresses, 0), inFlight: 500 }),
  };
}

export type DomainFigures = { rounds: { fresh: Run; warm: Run }[] };

/**
 * As many domains as addresses, each with a mail host of its own name, many under way and no delay. In a process that
 * has just started, as a list of strangers is often checked, and in one that has compiled what it needs.
 */
export async function measureDomains({ share, rounds }: Size, tell: Progress): Promise<DomainFigures> {
  const addresses = 2_000 * share;
  const population: Population = { addresses, domains: addresses, hosts: 50, latencyMs: 0, ownNames: true };
  const order = {
    variant: 'ours',
    population,
    inFlight: 100,
    openConversations: 200,
    starttls: 'demanded',
  } as const;
  const pairs: DomainFigures['rounds'] = [];
  for (let round = 0; round < rounds; round += 1) {
    tell(`domains, round ${round + 1} of ${rounds}: just started`);
    const fresh = await verifyInWorld({ ...order, warmUps: 1 });
    tell(`domains, round ${round + 1} of ${rounds}: warmed up`);
    pairs.push({ fresh, warm: await verifyInWorld(order) });
  }
  return { rounds: pairs };
}

/** The same work, ten times and a hundred times. */
export async function measureGrowth({ share }: Size, tell: Progress): Promise<Run[]> {
  const runs: Run[] = [];
  for (const addresses of [1_000, 10_000, 100_000].map((full) => full * share)) {
    tell(`growth: ${addresses} addresses`);
    // As many hosts at every size, so that only the number of addresses differs.
    const population = { ...manyHosts(addresses, 0), hosts: 100 };
    runs.push(
      await verifyInWorld({
        variant: 'ours',
        population,
        inFlight: 500,
        openConversations: 200,
        starttls: 'demanded',
      }),
    );
  }
  return runs;
}
