/**
 * What an attacker costs somebody else: a quiet account asks at a modest rate, alone and beside an attack in turn, in
 * short rounds, so that what drifts (the machine's other work above all) falls on both alike.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseKind } from '../api/surroundings.ts';
import { startChild, type Child } from '../processes/child.ts';
import { quantile } from '../results/numbers.ts';
import { attackModule, type Attack, type AttackReport } from './attack-module.ts';
import { openLoadModule, type OpenLoadOrder, type OpenLoadReport } from './open-load-module.ts';
import {
  attackPlaces,
  startServiceUnderAttack,
  type ServiceUnderAttack,
} from './start-service-under-attack.ts';

/** Of the quiet account: verdicts for which a mail host is asked, and verdicts for which none is. */
type Wait = { asked: Latency; known: Latency; refused: number };

type Latency = { p50Ms: number; p95Ms: number; requests: number };

export type AttackFigures = {
  attack: Attack['kind'];
  connections: number;
  alone: Wait;
  beside: Wait;
  /** Of p95, beside the attack to alone. */
  ratio: { asked: number; known: number };
  /** Of the last round. */
  report: AttackReport;
};

type Effort = { rounds: number; roundMs: number; perSecond: number };

/** The attack is under way before the quiet account is looked at. */
const leadMs = 1_000;

export async function measureAttacks(database: DatabaseKind, effort: Effort): Promise<AttackFigures[]> {
  const service = await startServiceUnderAttack(database);
  const quiet = createQuietAccount(service, effort);
  try {
    await quiet.ask();
    const figures: AttackFigures[] = [];
    for (const attack of attacksOn(service)) {
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

async function measureAttack(
  attack: Attack,
  { service, quiet, effort }: AttackParts,
): Promise<AttackFigures> {
  const attacker = startChild(attackModule);
  const seen: Record<'alone' | 'beside', Asked[]> = { alone: [], beside: [] };
  let report: AttackReport = { opened: 0, mostAtOnce: 0, answers: {} };
  try {
    for (let round = 0; round < effort.rounds; round += 1) {
      seen.alone.push(await quiet.ask());
      const forMs = effort.roundMs + 2 * leadMs;
      const attacking = attacker.ask({ attack, port: service.port, forMs });
      await pause(leadMs);
      seen.beside.push(await quiet.ask());
      report = await attacking;
    }
  } finally {
    await attacker.stop();
  }
  const [alone, beside] = [read(seen.alone), read(seen.beside)];
  const { kind, connections } = attack;
  const ratio = {
    asked: beside.asked.p95Ms / alone.asked.p95Ms,
    known: beside.known.p95Ms / alone.known.p95Ms,
  };
  return { attack: kind, connections, alone, beside, ratio, report };
}

function attacksOn({ attacker }: ServiceUnderAttack): Attack[] {
  return [
    { kind: 'no_body', connections: 20 },
    { kind: 'no_body', connections: 200 },
    { kind: 'slow_body', connections: 200, key: attacker.testKey },
    { kind: 'slow_singles', connections: 250, key: attacker.liveKey, domain: attackPlaces.slow },
    { kind: 'idle', connections: 1_000 },
    { kind: 'guesses', connections: 50, perSecond: 200 },
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
    ask: async (): Promise<Asked> => {
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

type Asked = Record<'asked' | 'known', OpenLoadReport>;

function read(rounds: Asked[]): Wait {
  const all = rounds.flatMap(({ asked, known }) => [asked, known]);
  const refused = all.flatMap(({ answered }) => answered).filter(({ status }) => status !== 200);
  const lost = all.reduce((sum, { unsent, broken }) => sum + unsent + broken, 0);
  return {
    asked: latencyOf(rounds.map(({ asked }) => asked)),
    known: latencyOf(rounds.map(({ known }) => known)),
    refused: refused.length + lost,
  };
}

function latencyOf(reports: OpenLoadReport[]): Latency {
  const answered = reports.flatMap((report) => report.answered);
  const latencies = answered.filter(({ status }) => status === 200).map(({ ms }) => ms);
  return { p50Ms: quantile(latencies, 0.5), p95Ms: quantile(latencies, 0.95), requests: latencies.length };
}
