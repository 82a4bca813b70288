/**
 * What an attacker costs somebody else: a quiet account asks at a modest rate, alone and beside an attack in turn. Before
 * and after every attack it is alone, and each attack of each round is compared with those two alone, so that what drifts
 * (the machine's other work above all) falls on both alike. Of the rounds of an attack only the half counts in which the
 * machine did the least for others. All times are equally long, and there are as many of them beside an attack as alone
 * before and after it.
 *
 * The last of a round is the control, which is no attack: as many requests as the busiest attack had answered, to a bare
 * server beside the service. It is what the machine itself makes of an attacker: all that is measured here shares its
 * processor.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseKind } from '../api/surroundings.ts';
import { startChild, type Child } from '../processes/child.ts';
import { cpuTimeMs } from '../processes/cpu-time.ts';
import { calmestHalf, watchLostTime } from '../processes/lost-processor-time.ts';
import { median, quantile, sum } from '../results/numbers.ts';
import { attackModule, type Attack, type AttackOrder, type AttackReport } from './attack-module.ts';
import { openLoadModule, type OpenLoadOrder, type OpenLoadReport } from './open-load-module.ts';
import {
  attackPlaces,
  startServiceUnderAttack,
  type ServiceUnderAttack,
} from './start-service-under-attack.ts';

/** Of the quiet account: verdicts for which a mail host is asked, and verdicts for which none is. */
type Verdict = 'asked' | 'known';

/** Medians over the times of the rounds that count. */
type Wait = Record<Verdict, Latency> & { refused: number; serviceCpuMsPerSecond: number; lostShare: number };

type Latency = { p50Ms: number; p95Ms: number; requests: number };

/** The median of the rounds that count, and the ratio of each. */
type Ratio = { median: number; rounds: number[] };

export type AttackFigures = {
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
 * The attack is under way before the quiet account is looked at, and for a moment after it: what is answered at once to
 * whoever was not refused for a while (see `refusalLimitTable`) is over by then.
 */
export const leadMs = 4_000;
const tailMs = 100;
/** So long are the times that are compared, and so many of them follow each other beside an attack, and alone between two. */
export const timeMs = 1_800;
export const times = { beside: 4, alone: 2 };
/** What the attacker left behind has ended before the quiet account counts as alone. */
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

/** What the quiet account sees, how much processor time the service uses meanwhile, and how calm the machine is. */
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
