/**
 * What an attacker costs somebody else: a quiet account asks at a modest rate alone, beside an attack, and beside as many
 * connections and requests of the attacker at a bare server, in turn and in short rounds, so that what drifts (the
 * machine's other work above all) falls on all alike. The last is what the machine itself makes of the attacker: all
 * that is measured here shares its processor.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseKind } from '../api/surroundings.ts';
import { startChild, type Child } from '../processes/child.ts';
import { cpuTimeMs } from '../processes/cpu-time.ts';
import { median, quantile } from '../results/numbers.ts';
import { attackModule, type Attack, type AttackOrder, type AttackReport } from './attack-module.ts';
import { openLoadModule, type OpenLoadOrder, type OpenLoadReport } from './open-load-module.ts';
import {
  attackPlaces,
  startServiceUnderAttack,
  type ServiceUnderAttack,
} from './start-service-under-attack.ts';

type Situation = 'alone' | 'beside' | 'control';

/** Of the quiet account: verdicts for which a mail host is asked, and verdicts for which none is. */
type Wait = { asked: Latency; known: Latency; refused: number; serviceCpuMsPerSecond: number };

type Latency = { p50Ms: number; p95Ms: number; requests: number };

type Ratio = { asked: number; known: number };

export type AttackFigures = Record<Situation, Wait> & {
  attack: Attack['kind'];
  connections: number;
  /** Of p95, beside the attack to alone, and beside the bare server's visitor to alone. */
  ratio: Ratio;
  controlRatio: Ratio;
  /** Of the last round. */
  report: AttackReport;
};

type Effort = { rounds: number; roundMs: number; perSecond: number };

/** The attack is under way before the quiet account is looked at, and for a moment after it. */
export const leadMs = 2_500;
const tailMs = 500;
const warmUpRounds = 4;

export async function measureAttacks(
  database: DatabaseKind,
  effort: Effort,
  kind: string | undefined,
): Promise<AttackFigures[]> {
  const service = await startServiceUnderAttack(database);
  const quiet = createQuietAccount(service, effort);
  try {
    for (let round = 0; round < warmUpRounds; round += 1) await quiet.ask();
    const figures: AttackFigures[] = [];
    for (const attack of attacksOn(service).filter((one) => one.kind === (kind ?? one.kind))) {
      process.stderr.write(`${database}: ${attack.kind}, ${attack.connections} connections …\n`);
      figures.push(await measureAttack(attack, { service, quiet, effort }));
    }
    return figures;
  } finally {
    await quiet.stop();
    await service.stop();
  }
}

type AttackParts = {
  service: ServiceUnderAttack;
  quiet: ReturnType<typeof createQuietAccount>;
  effort: Effort;
};

async function measureAttack(attack: Attack, parts: AttackParts): Promise<AttackFigures> {
  const { service, effort } = parts;
  const attacker = startChild(attackModule);
  const seen: Record<Situation, Asked[]> = { alone: [], beside: [], control: [] };
  let report: AttackReport = { opened: 0, mostAtOnce: 0, answers: {}, answersPerSecond: 0 };
  const besides = async (order: Omit<AttackOrder, 'forMs'>) => {
    const attacking = attacker.ask({ ...order, forMs: leadMs + effort.roundMs + tailMs });
    await pause(leadMs);
    return { asked: await askMeasured(parts), report: await attacking };
  };
  try {
    for (let round = 0; round < effort.rounds; round += 1) {
      seen.alone.push(await askMeasured(parts));
      const beside = await besides({ attack, port: service.port });
      report = beside.report;
      seen.beside.push(beside.asked);
      const sameAtBare = asPaced(attack.connections, report.answersPerSecond);
      seen.control.push((await besides({ attack: sameAtBare, port: service.barePort })).asked);
    }
  } finally {
    await attacker.stop();
  }
  const [alone, beside, control] = [read(seen.alone), read(seen.beside), read(seen.control)];
  const { kind, connections } = attack;
  const ratio = ratioOf(beside, alone);
  const controlRatio = ratioOf(control, alone);
  return { attack: kind, connections, alone, beside, control, ratio, controlRatio, report };
}

/** So many connections that ask so often in all, whatever is asked for. */
function asPaced(connections: number, perSecond: number): Attack {
  return perSecond < 1 ? { kind: 'idle', connections } : { kind: 'guesses', connections, perSecond };
}

function ratioOf(beside: Wait, alone: Wait): Ratio {
  return {
    asked: beside.asked.p95Ms / alone.asked.p95Ms,
    known: beside.known.p95Ms / alone.known.p95Ms,
  };
}

/** What the quiet account sees, and how much processor time the service uses meanwhile. */
async function askMeasured({ service, quiet }: AttackParts): Promise<Asked> {
  const before = { at: performance.now(), cpuMs: cpuTimeMs(service.pid) ?? NaN };
  const asked = await quiet.ask();
  const cpuMs = (cpuTimeMs(service.pid) ?? NaN) - before.cpuMs;
  return { ...asked, cpuMsPerSecond: (1_000 * cpuMs) / (performance.now() - before.at) };
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

function createQuietAccount({ port, quietKey }: ServiceUnderAttack, { roundMs, perSecond }: Effort) {
  const loads = { asked: startChild(openLoadModule), known: startChild(openLoadModule) };
  let from = 1;
  const drive = (load: Child<OpenLoadOrder, OpenLoadReport>, domains: string[]) =>
    load.ask({
      port,
      path: '/api/v1/email-verification',
      keys: [quietKey],
      domains,
      mostConnections: 50,
      perSecond,
      forMs: roundMs,
      from,
    });
  return {
    ask: async () => {
      const [asked, known] = await Promise.all([
        drive(loads.asked, attackPlaces.asked),
        drive(loads.known, [attackPlaces.known]),
      ]);
      from += 100_000;
      return { asked, known };
    },
    stop: () => Promise.all(Object.values(loads).map((load) => load.stop())),
  };
}

type Asked = Record<'asked' | 'known', OpenLoadReport> & { cpuMsPerSecond: number };

function read(rounds: Asked[]): Wait {
  const all = rounds.flatMap(({ asked, known }) => [asked, known]);
  const refused = all.flatMap(({ answered }) => answered).filter(({ status }) => status !== 200);
  const lost = all.reduce((sum, { unsent, broken }) => sum + unsent + broken, 0);
  return {
    asked: latencyOf(rounds.map(({ asked }) => asked)),
    known: latencyOf(rounds.map(({ known }) => known)),
    refused: refused.length + lost,
    serviceCpuMsPerSecond: median(rounds.map(({ cpuMsPerSecond }) => cpuMsPerSecond)),
  };
}

function latencyOf(reports: OpenLoadReport[]): Latency {
  const answered = reports.flatMap((report) => report.answered);
  const latencies = answered.filter(({ status }) => status === 200).map(({ ms }) => ms);
  return { p50Ms: quantile(latencies, 0.5), p95Ms: quantile(latencies, 0.95), requests: latencies.length };
}
