/** A world in one process, an engine in another, one measurement; both end with it. */
import { startChild, type Child } from '../processes/child.ts';
import { worldModule, type WorldAnswer, type WorldQuestion } from '../processes/world-process.ts';
import { median, short, table } from '../results.ts';
import {
  engineModule,
  type EngineQuestion,
  type Measured,
  type PrepareQuestion,
  type VerifyQuestion,
} from './engine-process.ts';
import type { Population } from './population.ts';
import { idleModule, type IdleQuestion, type LoopDelay } from './watch-loop.ts';

type Run = Measured & {
  /** As the world saw it. */
  world: {
    dnsQueries: number;
    connections: number;
    roundTrips: number;
    mostOpen: number;
    violations: number;
  };
  /** The loop of a process that had nothing to do meanwhile. */
  idle: LoopDelay;
};

type Order = Omit<PrepareQuestion, 'kind' | 'world'> & Omit<VerifyQuestion, 'kind'>;

async function verifyInWorld({ population, inFlight, beginPerSecond, ...engineOrder }: Order): Promise<Run> {
  return inWorld(population, async ({ engine, internet, bystander, world }) => {
    await engine.ask({ kind: 'prepare', world, ...engineOrder });
    await bystander.ask({ kind: 'begin' });
    // The cost of the preparation is forgotten.
    await internet.ask({ kind: 'counts' });
    return engine.ask({
      kind: 'verify',
      population,
      inFlight,
      ...(beginPerSecond === undefined ? {} : { beginPerSecond }),
    });
  });
}

async function connectInWorld(population: Population, order: { inFlight: number }): Promise<Run> {
  const { addresses: connections, hosts } = population;
  return inWorld(population, async ({ engine, bystander, world }) => {
    await bystander.ask({ kind: 'begin' });
    return engine.ask({ kind: 'connect', world, connections, hosts, ...order });
  });
}

type Fixture = {
  engine: Child<EngineQuestion, Measured | undefined>;
  internet: Child<WorldQuestion, WorldAnswer>;
  bystander: Child<IdleQuestion, LoopDelay | undefined>;
  world: { dnsServer: string; smtpPort: number };
};

async function inWorld(
  population: Population,
  work: (fixture: Fixture) => Promise<Measured | undefined>,
): Promise<Run> {
  const internet = startChild(worldModule);
  const engine = startChild(engineModule);
  const bystander = startChild(idleModule);
  try {
    const { dnsServer, smtpPort } = await internet.ask({ kind: 'populate', population });
    const fixture = { engine, internet, bystander, world: { dnsServer, smtpPort } };
    const measured = await work(fixture);
    const idle = await bystander.ask({ kind: 'end' });
    if (measured === undefined || idle === undefined) throw new Error('nothing was measured');
    const { seen } = await internet.ask({ kind: 'counts' });
    return { ...measured, world: seen, idle };
  } finally {
    await Promise.all([engine.stop(), internet.stop(), bystander.stop()]);
  }
}

export type Size = { share: number; rounds: number };

/** Told what is being done: a run takes minutes. */
type Progress = (message: string) => void;

const manyHosts = (addresses: number, latencyMs: number): Population => ({
  addresses,
  domains: Math.max(1, Math.ceil(addresses / 10)),
  hosts: Math.min(200, Math.max(1, Math.ceil(addresses / 50))),
  latencyMs,
});

type VolumeFigures = {
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

type CostFigures = { connection: Run; alone: Run; secured: Run; inList: Run };

/** Hosts that answer at once, so that only our own cost is left. */
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

type DomainFigures = { rounds: { fresh: Run; warm: Run }[] };

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

const perSecond = ({ addresses, ms }: Run): string => short((1_000 * addresses) / ms);
const cpuUs = ({ addresses, cpuMs }: Run): string => short((1_000 * cpuMs) / addresses);
const each = (count: number, { addresses }: Run): string => short(count / addresses);
const met = (isMet: boolean): string => (isMet ? 'met' : 'not met');

export function describeVolume({ rounds, rateRatio, cpuRatio }: VolumeFigures): string[] {
  const runs = rounds.flatMap(({ ours, plain }) => [
    { name: 'ours', run: ours },
    { name: 'one at a time, without memory', run: plain },
  ]);
  const first = rounds[0]?.ours;
  return [
    '## Volume',
    '',
    `${short(first?.addresses ?? 0)} addresses, ten to a domain, on 200 hosts with 100 ms of latency a reply (fewer at a smaller size); limits per destination lifted; at most 200 conversations open in either engine.`,
    '',
    ...table(
      [
        'engine',
        'addresses a second',
        'CPU µs an address',
        'conversations',
        'round trips each',
        'DNS queries',
        'most open',
      ],
      runs.map(({ name, run }) => [
        name,
        perSecond(run),
        cpuUs(run),
        short(run.conversations),
        each(run.world.roundTrips, run),
        short(run.world.dnsQueries),
        short(run.world.mostOpen),
      ]),
    ),
    '',
    `- rate: **${short(rateRatio)} ×** (goal: at least 4 ×: ${met(rateRatio >= 4)})`,
    `- CPU time an address: **${short(cpuRatio)} ×** less (goal: at least 3 × less: ${met(cpuRatio >= 3)})`,
    ...verdictLines(runs.map(({ run }) => run)),
  ];
}

export function describeOpenAtOnce(run: Run): string[] {
  const { rssBeforeMb, rssPeakMb, heapAtPeakMb, loopDelayP99Ms, loopDelayMaxMs, idle } = run;
  const { loopWorkP99Ms, loopWorkMaxMs } = run;
  const { mostOpen } = run.world;
  const all = mostOpen >= run.addresses ? 'all at once' : `**not all at once**: the machine was too busy`;
  return [
    '## Many conversations at once',
    '',
    `- ${short(mostOpen)} conversations open (${all}), every host slow (1.7 s a reply)`,
    `- resident memory at most **${short(rssPeakMb)} MB** (goal: 300 MB: ${met(rssPeakMb <= 300)}), ${short(rssBeforeMb)} MB of it before the first; the heap held ${short(heapAtPeakMb)} MB then`,
    `- event-loop delay p99 **${short(loopDelayP99Ms)} ms** (goal: 50 ms: ${met(loopDelayP99Ms <= 50)}), at most ${short(loopDelayMaxMs)} ms`,
    `- CPU time of the loop itself between two looks of a timer: p99 ${short(loopWorkP99Ms)} ms, at most ${short(loopWorkMaxMs)} ms; delay in a process beside it that had nothing to do: p99 ${short(idle.loopDelayP99Ms)} ms, at most ${short(idle.loopDelayMaxMs)} ms`,
    '- run as `./mailproof serve` is: with its bounds of the heap, and with compiled code kept from an earlier run',
    ...verdictLines([run]),
  ];
}

export function describeCost({ connection, alone, secured, inList }: CostFigures): string[] {
  const bare = connection.cpuMs / connection.addresses;
  const row = (name: string, run: Run): string[] => [
    name,
    cpuUs(run),
    short(run.cpuMs / run.addresses / bare),
    each(run.world.dnsQueries, run),
    each(run.conversations, run),
  ];
  return [
    '## CPU time of a verification',
    '',
    'Hosts that answer at once. Alone: every address at a domain and a mail host of its own, so that nothing is known and nothing is shared.',
    '',
    ...table(
      ['what', 'CPU µs', '× a connection', 'DNS queries', 'connections'],
      [
        row('a TCP connection, its banner, its end', connection),
        row('a verification alone', alone),
        row('the same with STARTTLS', secured),
        row('a verification of a list', inList),
      ],
    ),
    '',
    ...verdictLines([alone, secured, inList]),
  ];
}

export function describeDomains({ rounds }: DomainFigures): string[] {
  const runs = [rounds.map(({ fresh }) => fresh), rounds.map(({ warm }) => warm)] as const;
  const [first] = runs[0];
  const costUs = median(runs[0].map((run) => (1_000 * run.cpuMs) / run.addresses));
  const row = (name: string, ofKind: Run[]): string[] => [
    name,
    ofKind.map(cpuUs).join(', '),
    ofKind.map(perSecond).join(', '),
    ofKind.map((run) => each(run.world.dnsQueries, run)).join(', '),
    ofKind.map((run) => short(run.rssPeakMb)).join(', '),
  ];
  return [
    "## A stranger's domain",
    '',
    `${short(first?.addresses ?? 0)} addresses at as many domains, each with a mail host of its own name, no delay, 100 under way.`,
    '',
    ...table(
      ['process', 'CPU µs an address', 'addresses a second', 'DNS queries', 'resident at most, MB'],
      [row('just started (the start itself not counted)', runs[0]), row('after 500 others', runs[1])],
    ),
    '',
    `- CPU time an address, just started: **${short(costUs / 1_000)} ms** (goal: at most 0.7 ms: ${met(costUs <= 700)})`,
    ...verdictLines(runs.flat()),
  ];
}

export function describeGrowth(runs: Run[]): string[] {
  return [
    '## Cost as work grows',
    '',
    'Ten addresses to a domain, 100 hosts that answer at once, 500 addresses under way.',
    '',
    ...table(
      [
        'addresses',
        'ms each',
        'CPU µs each',
        'resident at most, MB',
        'held at the end, MB',
        'held, bytes each',
      ],
      runs.map((run) => [
        short(run.addresses),
        short(run.ms / run.addresses),
        cpuUs(run),
        short(run.rssPeakMb),
        short(run.heapGrowthMb),
        short(Math.max(0, (run.heapGrowthMb * 2 ** 20) / run.addresses)),
      ]),
    ),
    '',
    ...verdictLines(runs),
  ];
}

/** A fast wrong answer is worth nothing. */
function verdictLines(runs: Run[]): string[] {
  const wrong = runs.flatMap((run) => Object.entries(run.wrong));
  const violations = runs.reduce((total, run) => total + run.world.violations, 0);
  return [
    wrong.length === 0
      ? '- every verdict right'
      : `- **wrong verdicts**: ${wrong.map(([what, count]) => `${count} × ${what}`).join(', ')}`,
    ...(violations === 0 ? [] : [`- **breaches of protocol**: ${violations}`]),
  ];
}
