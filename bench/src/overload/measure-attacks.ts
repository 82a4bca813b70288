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
import { median, quantile, sum } from '../results/numbers.ts';
import { attackModule, type Attack, type AttackOrder, type AttackReport } from './attack-module.ts';
import { openLoadModule, type OpenLoadOrder, type OpenLoadReport } from './open-load-module.ts';
import {
  attackPlaces,
  startServiceUnderAttack,
  type ServiceUnderAttack,
} from './start-service-under-attack.ts';

type Situation = 'alone' | 'beside' | 'control';

/** Of the quiet account: verdicts for which a mail host is asked, and verdicts for which none is. */
type Verdict = 'asked' | 'known';

/** Medians over the rounds; `refused` over all of them. */
type Wait = Record<Verdict, Latency> & { refused: number; serviceCpuMsPerSecond: number };

type Latency = { p50Ms: number; p95Ms: number; requests: number };

type Ratio = Record<Verdict, number>;

export type AttackFigures = Record<Situation, Wait> & {
  attack: Attack['kind'];
  connections: number;
  /** Of p95, beside the attack to alone, and beside the bare server's visitor to alone: medians over the rounds. */
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
  const attacker = startChild(attackModule);
  const attacks = attacksOn(service).filter((one) => one.kind === (kind ?? one.kind));
  const rounds: Round[][] = attacks.map(() => []);
  try {
    for (let round = 0; round < warmUpRounds; round += 1) await quiet.ask();
    for (let round = 1; round <= effort.rounds; round += 1)
      for (const [index, attack] of attacks.entries()) {
        process.stderr.write(`${database}, round ${round}: ${attack.kind} × ${attack.connections} …\n`);
        rounds[index]?.push(await measureRound(attack, { service, quiet, attacker, effort }));
      }
    return attacks.map((attack, index) => figuresOf(attack, rounds[index] ?? []));
  } finally {
    await Promise.all([quiet.stop(), attacker.stop()]);
    await service.stop();
  }
}

type AttackParts = {
  service: ServiceUnderAttack;
  quiet: ReturnType<typeof createQuietAccount>;
  attacker: Child<AttackOrder, AttackReport>;
  effort: Effort;
};

type Round = Record<Situation, Asked> & { report: AttackReport };

async function measureRound(attack: Attack, parts: AttackParts): Promise<Round> {
  const { service, attacker, effort } = parts;
  const besides = async (order: Omit<AttackOrder, 'forMs'>) => {
    const attacking = attacker.ask({ ...order, forMs: leadMs + effort.roundMs + tailMs });
    await pause(leadMs);
    return { asked: await askMeasured(parts), report: await attacking };
  };
  const alone = await askMeasured(parts);
  const { asked: beside, report } = await besides({ attack, port: service.port });
  const sameAtBare = asPaced(attack.connections, report.answersPerSecond);
  const { asked: control } = await besides({ attack: sameAtBare, port: service.barePort });
  return { alone, beside, control, report };
}

function figuresOf({ kind, connections }: Attack, rounds: Round[]): AttackFigures {
  return {
    attack: kind,
    connections,
    alone: waitOf(rounds.map(({ alone }) => alone)),
    beside: waitOf(rounds.map(({ beside }) => beside)),
    control: waitOf(rounds.map(({ control }) => control)),
    ratio: ratioOf(rounds, 'beside'),
    controlRatio: ratioOf(rounds, 'control'),
    report: rounds.at(-1)?.report ?? { opened: 0, mostAtOnce: 0, answers: {}, answersPerSecond: 0 },
  };
}

/** So many connections that ask so often in all, whatever is asked for. */
function asPaced(connections: number, perSecond: number): Attack {
  return perSecond < 1 ? { kind: 'idle', connections } : { kind: 'guesses', connections, perSecond };
}

function ratioOf(rounds: Round[], situation: Situation): Ratio {
  const ratio = (verdict: Verdict) =>
    median(
      rounds.map(
        (round) => latencyOf(round[situation][verdict]).p95Ms / latencyOf(round.alone[verdict]).p95Ms,
      ),
    );
  return { asked: ratio('asked'), known: ratio('known') };
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

type Asked = Record<Verdict, OpenLoadReport> & { cpuMsPerSecond: number };

function waitOf(rounds: Asked[]): Wait {
  const all = rounds.flatMap(({ asked, known }) => [asked, known]);
  const refused = all.flatMap(({ answered }) => answered).filter(({ status }) => status !== 200);
  const lost = sum(all.map(({ unsent, broken }) => unsent + broken));
  return {
    asked: medianOf(rounds.map(({ asked }) => latencyOf(asked))),
    known: medianOf(rounds.map(({ known }) => latencyOf(known))),
    refused: refused.length + lost,
    serviceCpuMsPerSecond: median(rounds.map(({ cpuMsPerSecond }) => cpuMsPerSecond)),
  };
}

function latencyOf({ answered }: OpenLoadReport): Latency {
  const latencies = answered.filter(({ status }) => status === 200).map(({ ms }) => ms);
  return { p50Ms: quantile(latencies, 0.5), p95Ms: quantile(latencies, 0.95), requests: latencies.length };
}

function medianOf(latencies: Latency[]): Latency {
  return {
    p50Ms: median(latencies.map(({ p50Ms }) => p50Ms)),
    p95Ms: median(latencies.map(({ p95Ms }) => p95Ms)),
    requests: sum(latencies.map(({ requests }) => requests)),
  };
}
