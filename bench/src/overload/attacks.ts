/**
 * The cost of an attacker to another account, which asks at a modest rate, alone and beside an attack in turn. It is
 * alone before and after every attack. Each attack is compared with those two times, so that drift (other work of the
 * machine above all) falls on both alike. Of the rounds of an attack only the half counts in which the machine did the
 * least for others. All times are equally long, and there are as many of them beside an attack as alone before and
 * after it.
 *
 * The last of a round is the control, which is no attack: as many requests as the busiest attack had answered, to a
 * bare server beside the service. It is what the machine itself makes of an attacker: all that is measured here shares
 * its processor.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseKind } from '../api/service.ts';
import { openLoadModule, type OpenLoadOrder, type OpenLoadReport } from '../load-generator.ts';
import { startChild, type Child } from '../processes/child.ts';
import { cpuTimeMs, calmestHalf, watchLostTime } from '../processes/cpu-time.ts';
import { median, quantile, sum, machineLines, short, table, type Machine } from '../results.ts';
import { attackModule, type Attack, type AttackOrder, type AttackReport } from './attacker.ts';
import { attackPlaces, startServiceUnderAttack, type ServiceUnderAttack } from './services.ts';

/** Of the quiet account: verdicts for which a mail host is asked, and verdicts for which none is. */
type Verdict = 'asked' | 'known';

/** Medians over the times of the rounds that count. */
type Wait = Record<Verdict, Latency> & { refused: number; serviceCpuMsPerSecond: number; lostShare: number };

type Latency = { p50Ms: number; p95Ms: number; requests: number };

/** The median of the rounds that count, and the ratio of each. */
type Ratio = { median: number; rounds: number[] };

type AttackFigures = {
  attack: Attack['kind'] | 'control';
  connections: number;
  answeredPerSecond: number;
  alone: Wait;
  beside: Wait;
  /** Of p95, beside to alone. */
  ratio: Record<Verdict, Ratio>;
};

type Effort = { rounds: number; perSecond: number };

/**
 * The attack begins before the quiet account is measured and ends after it. By then the burst of quick refusals is used
 * up (see `refusalLimitTable`).
 */
const leadMs = 4_000;
const tailMs = 100;
/** Length of the times that are compared, and their number beside an attack and alone between two. */
const timeMs = 1_800;
const times = { beside: 4, alone: 2 };
/** Requests of the attacker have ended before the quiet account counts as alone. */
const settleMs = 800;
const warmUpMs = 8_000;
const controlConnections = 250;

export async function measureAttacks(
  database: DatabaseKind,
  effort: Effort,
  kind: string | undefined,
): Promise<AttackFigures[]> {
  const service = await startServiceUnderAttack(database);
  const quiet = createQuietAccount(service, effort);
  const attacker = startChild(attackModule);
  const parts = { service, quiet, attacker };
  const attacks = attacksOn(service).filter((one) => (kind ?? one.kind).split(',').includes(one.kind));
  const visits: Visit[] = [];
  try {
    await quiet.ask(warmUpMs);
    let before = await askSeveral(times.alone, parts);
    for (let round = 1; round <= effort.rounds; round += 1)
      for (const name of [...attacks, 'control'] as const) {
        const { attack, port } =
          name === 'control'
            ? controlFor(visits.slice(-attacks.length), service)
            : { attack: name, port: service.port };
        process.stderr.write(`${database}, round ${round}: ${nameOf(name)} × ${attack.connections} …\n`);
        const { beside, report } = await askBeside({ attack, port }, parts);
        await pause(settleMs);
        const after = await askSeveral(times.alone, parts);
        visits.push({ name, attack, before, beside, after, report });
        before = after;
      }
    return [...attacks, 'control' as const].map((name) =>
      figuresOf(
        name,
        visits.filter((visit) => visit.name === name),
      ),
    );
  } finally {
    await Promise.all([quiet.stop(), attacker.stop()]);
    await service.stop();
  }
}

type AttackParts = {
  service: ServiceUnderAttack;
  quiet: ReturnType<typeof createQuietAccount>;
  attacker: Child<AttackOrder, AttackReport>;
};

/** One attack in one round, with what the quiet account saw alone before it and after it. */
type Visit = {
  name: Attack | 'control';
  attack: Attack;
  before: Asked[];
  beside: Asked[];
  after: Asked[];
  report: AttackReport;
};

function nameOf(name: Attack | 'control'): Attack['kind'] | 'control' {
  return name === 'control' ? name : name.kind;
}

async function askBeside(
  order: Pick<AttackOrder, 'attack' | 'port'>,
  parts: AttackParts,
): Promise<{ beside: Asked[]; report: AttackReport }> {
  const attacking = parts.attacker.ask({ ...order, leadMs, forMs: leadMs + times.beside * timeMs + tailMs });
  await pause(leadMs);
  const beside = await askSeveral(times.beside, parts);
  return { beside, report: await attacking };
}

/** As many requests a second as the busiest of these attacks had answered, whatever it asked for. */
function controlFor(attacks: Visit[], { barePort }: ServiceUnderAttack): { attack: Attack; port: number } {
  const perSecond = Math.max(1, ...attacks.map(({ report }) => report.answersPerSecond));
  return { attack: { kind: 'guesses', connections: controlConnections, perSecond }, port: barePort };
}

function figuresOf(name: Attack | 'control', visits: Visit[]): AttackFigures {
  const counted = calmestHalf(visits.map((visit) => ({ ...visit, lostShare: lostIn(visit) })));
  const ratio = (verdict: Verdict): Ratio => {
    const p95 = (asked: Asked[]) => waitOf(asked)[verdict].p95Ms;
    const rounds = counted.map((visit) => p95(visit.beside) / p95(aloneAround(visit)));
    return { median: median(rounds), rounds };
  };
  return {
    attack: nameOf(name),
    connections: visits[0]?.attack.connections ?? 0,
    answeredPerSecond: median(visits.map(({ report }) => report.answersPerSecond)),
    alone: waitOf(counted.flatMap(aloneAround)),
    beside: waitOf(counted.flatMap((visit) => visit.beside)),
    ratio: { asked: ratio('asked'), known: ratio('known') },
  };
}

function aloneAround({ before, after }: Visit): Asked[] {
  return [...before, ...after];
}

async function askSeveral(count: number, parts: AttackParts): Promise<Asked[]> {
  const asked: Asked[] = [];
  while (asked.length < count) asked.push(await askMeasured(parts));
  return asked;
}

/** The quiet account's answers, the service's processor time meanwhile, and how calm the machine is. */
async function askMeasured({ service, quiet }: AttackParts): Promise<Asked> {
  const before = { at: performance.now(), cpuMs: cpuTimeMs(service.pid) ?? NaN };
  const lostShare = watchLostTime();
  const asked = await quiet.ask(timeMs);
  const cpuMs = (cpuTimeMs(service.pid) ?? NaN) - before.cpuMs;
  const cpuMsPerSecond = (1_000 * cpuMs) / (performance.now() - before.at);
  return { ...asked, cpuMsPerSecond, lostShare: lostShare() };
}

function attacksOn({ attacker }: ServiceUnderAttack): Attack[] {
  return [
    { kind: 'no_body', connections: 20 },
    { kind: 'slow_body', connections: 200, key: attacker.testKey },
    { kind: 'slow_singles', connections: 250, key: attacker.liveKey, domain: attackPlaces.slow },
    { kind: 'slow_singles', connections: 2_000, key: attacker.liveKey, domain: attackPlaces.slow },
    { kind: 'test_singles', connections: 200, key: attacker.testKey },
    { kind: 'guesses', connections: 50, perSecond: 10_000 },
  ];
}

function createQuietAccount({ port, quietKey }: ServiceUnderAttack, { perSecond }: Effort) {
  const loads = { asked: startChild(openLoadModule), known: startChild(openLoadModule) };
  let from = 1;
  const drive = (load: Child<OpenLoadOrder, OpenLoadReport>, domains: string[], forMs: number) =>
    load.ask({
      port,
      path: '/api/v1/email-verification',
      keys: [quietKey],
      domains,
      mostConnections: 50,
      perSecond,
      forMs,
      from,
    });
  return {
    ask: async (forMs: number) => {
      const [asked, known] = await Promise.all([
        drive(loads.asked, attackPlaces.asked, forMs),
        drive(loads.known, [attackPlaces.known], forMs),
      ]);
      from += 100_000;
      return { asked, known };
    },
    stop: () => Promise.all(Object.values(loads).map((load) => load.stop())),
  };
}

type Asked = Record<Verdict, OpenLoadReport> & {
  cpuMsPerSecond: number;
  /** Of the processor, to others than this benchmark. */
  lostShare: number;
};

function lostIn(visit: Visit): number {
  return sum([...aloneAround(visit), ...visit.beside].map(({ lostShare }) => lostShare));
}

function waitOf(counted: Asked[]): Wait {
  const all = counted.flatMap(({ asked, known }) => [asked, known]);
  const refused = all.flatMap(({ answered }) => answered).filter(({ status }) => status !== 200);
  const lost = sum(all.map(({ unsent, broken }) => unsent + broken));
  return {
    asked: latencyOf(counted.map(({ asked }) => asked)),
    known: latencyOf(counted.map(({ known }) => known)),
    refused: refused.length + lost,
    serviceCpuMsPerSecond: median(counted.map(({ cpuMsPerSecond }) => cpuMsPerSecond)),
    lostShare: median(counted.map(({ lostShare }) => lostShare)),
  };
}

function latencyOf(reports: OpenLoadReport[]): Latency {
  const latencies = reports.map(({ answered }) =>
    answered.filter(({ status }) => status === 200).map(({ ms }) => ms),
  );
  return {
    p50Ms: median(latencies.map((one) => quantile(one, 0.5))),
    p95Ms: median(latencies.map((one) => quantile(one, 0.95))),
    requests: sum(latencies.map(({ length }) => length)),
  };
}

export type AttackResults = Partial<Record<DatabaseKind, AttackFigures[]>>;

/** p95 of the quiet account may grow by so much. */
const goal = 1.25;

export function describeAttacks(results: AttackResults, machine: Machine, perSecond: number): string[] {
  return [
    '# What an attacker costs somebody else',
    '',
    ...machineLines(machine),
    '',
    `A quiet account asks for ${perSecond} single verifications a second for which a mail host is asked, which takes 20 ms for a reply, and for as many whose verdict is known without one: beside an attack from another address that began ${leadMs / 1_000} s before, and alone before it and after it. Every round has every attack once, for ${times.beside} times of ${timeMs / 1_000} s, with ${times.alone} such times alone before it and as many after it. Of the rounds of an attack the half counts in which the least of the processor went to others (other processes, and what the host of a virtual machine gave away). p95 is the median of those of its times. The ratio is that of p95 beside to p95 alone before and after it in the same round, the median over the rounds that count (goal: at most ${goal}), with the lowest and the highest beside it.`,
    '',
    'Attackers, service, mail hosts, database and both generators share the processor. The control is what the machine itself makes of that: as many requests a second as the busiest attack had answered, to a bare server beside the service. The goal is not measured by it.',
    ...(['sqlite', 'postgres'] as const).flatMap((kind) => describeOne(kind, results[kind] ?? [])),
  ];
}

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const words: Record<AttackFigures['attack'], string> = {
  control: 'control: requests to a bare server',
  no_body: 'headers of POST /session without a body',
  slow_body: 'bodies of singles with a test key, a byte a second',
  slow_singles: 'singles of one account at a slow host, each repeated at once when it is answered or refused',
  idle: 'idle connections',
  test_singles: 'singles with a test key, each repeated at once',
  guesses: 'guesses of keys, each repeated at once',
};

function describeOne(kind: DatabaseKind, figures: AttackFigures[]): string[] {
  if (figures.length === 0) return [];
  return [
    '',
    `## ${titles[kind]}`,
    '',
    ...table(
      [
        'attack',
        'connections',
        'answered a second',
        'verdict',
        'alone, p95 ms',
        'beside',
        'ratio',
        'rounds',
        'goal',
        'refused (alone)',
        'CPU of the service, ms a second (alone)',
        'processor to others (alone)',
      ],
      figures.flatMap((row) => [rowOf(row, 'asked'), rowOf(row, 'known')]),
    ),
  ];
}

function rowOf(row: AttackFigures, verdict: 'asked' | 'known'): string[] {
  const { alone, beside } = row;
  const { median: ratio, rounds } = row.ratio[verdict];
  return [
    words[row.attack],
    short(row.connections),
    short(row.answeredPerSecond),
    verdict === 'asked' ? 'a host is asked' : 'known',
    short(alone[verdict].p95Ms),
    short(beside[verdict].p95Ms),
    ratio.toFixed(2),
    `${Math.min(...rounds).toFixed(2)}–${Math.max(...rounds).toFixed(2)}`,
    row.attack === 'control' ? '–' : ratio <= goal ? 'met' : 'not met',
    `${short(beside.refused)} (${short(alone.refused)})`,
    `${short(beside.serviceCpuMsPerSecond)} (${short(alone.serviceCpuMsPerSecond)})`,
    `${percent(beside.lostShare)} (${percent(alone.lostShare)})`,
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
