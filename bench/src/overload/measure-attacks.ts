/**
 * What an attacker costs somebody else: a quiet account asks at a modest rate, alone and beside each attack in turn. Each
 * attack is set against the time alone before it and after it, so that what drifts falls on both.
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
export type Wait = { asked: Latency; known: Latency; refused: number };

type Latency = { p50Ms: number; p95Ms: number; requests: number };

export type AttackFigures = {
  attack: Attack['kind'];
  connections: number;
  /** Before and after. */
  alone: [Wait, Wait];
  beside: Wait;
  /** Of p95, against the mean of both times alone. */
  ratio: { asked: number; known: number };
  report: AttackReport;
};

type Effort = { phaseMs: number; perSecond: number };

/** The attack is under way before the quiet account is looked at. */
const leadMs = 1_500;

export async function measureAttacks(database: DatabaseKind, effort: Effort): Promise<AttackFigures[]> {
  const service = await startServiceUnderAttack(database);
  const quiet = createQuietAccount(service, effort);
  try {
    await quiet.ask();
    const figures: AttackFigures[] = [];
    let before = await quiet.ask();
    for (const attack of attacksOn(service)) {
      process.stderr.write(`${database}: ${attack.kind}, ${attack.connections} connections …\n`);
      const attacker = startChild(attackModule);
      const order = { attack, port: service.port, forMs: effort.phaseMs + 2 * leadMs };
      const attacking = attacker.ask(order);
      await pause(leadMs);
      const beside = await quiet.ask();
      const report = await attacking;
      await attacker.stop();
      await pause(leadMs);
      const after = await quiet.ask();
      const { kind, connections } = attack;
      const alone: [Wait, Wait] = [before, after];
      const ratio = { asked: ratioOf('asked', alone, beside), known: ratioOf('known', alone, beside) };
      figures.push({ attack: kind, connections, alone, beside, ratio, report });
      before = after;
    }
    return figures;
  } finally {
    await quiet.stop();
    await service.stop();
  }
}

function ratioOf(kind: 'asked' | 'known', [before, after]: [Wait, Wait], beside: Wait): number {
  return (2 * beside[kind].p95Ms) / (before[kind].p95Ms + after[kind].p95Ms);
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

function createQuietAccount({ port, quietKey }: ServiceUnderAttack, { phaseMs, perSecond }: Effort) {
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
      forMs: phaseMs,
      from,
    });
  return {
    ask: async (): Promise<Wait> => {
      const reports = await Promise.all([
        drive(loads.asked, attackPlaces.asked),
        drive(loads.known, [attackPlaces.known]),
      ]);
      from += 100_000;
      const [asked, known] = reports;
      const refused = reports.flatMap(({ answered }) => answered).filter(({ status }) => status !== 200);
      const lost = reports.reduce((sum, { unsent, broken }) => sum + unsent + broken, 0);
      return { asked: read(asked), known: read(known), refused: refused.length + lost };
    },
    stop: () => Promise.all(Object.values(loads).map((load) => load.stop())),
  };
}

function read({ answered }: OpenLoadReport): Latency {
  const latencies = answered.filter(({ status }) => status === 200).map(({ ms }) => ms);
  return { p50Ms: quantile(latencies, 0.5), p95Ms: quantile(latencies, 0.95), requests: latencies.length };
}
