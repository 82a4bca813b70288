/**
 * Two servers with the same load, round by round in turn, each round beginning with the other: what drifts (the
 * machine's other work, its temperature, the size of the database) falls on both alike. The ratio is the median over
 * the pairs of rounds.
 */
import { startChild, type Child } from '../processes/child.ts';
import { cpuTimeMs } from '../processes/cpu-time.ts';
import { median, quantile, sum } from '../results/numbers.ts';
import { loadModule, type LoadOrder, type LoadReport } from './load-module.ts';
import type { Measure } from './measures.ts';

export type Effort = { connections: number; rounds: number; roundMs: number; warmUpMs: number };

export type Figures = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the server for one request, in microseconds. */
  cpuUs: number;
  /** The same of the database, where that is a server of its own. */
  databaseCpuUs: number;
  requests: number;
};

export type Comparison = {
  id: string;
  title: string;
  goal: number | undefined;
  ours: Figures;
  other: Figures;
  /** Our rate by the other's. */
  ratio: number;
  ratios: number[];
  /** Answers of ours that were not what was asked for, by status. */
  otherwise: Record<string, number>;
};

/** Where each side listens, the process it is, and how it is asked. */
type Servers = Record<Side, Server>;
export type Server = { port: number; pid: number; request: string; databaseCpuMs?: () => number };
type Side = 'ours' | 'other';
type Driven = LoadReport & { cpuMs: number; databaseCpuMs: number };

export async function compare(measure: Measure, servers: Servers, effort: Effort): Promise<Comparison> {
  const load = startChild(loadModule);
  try {
    return await inTurn(measure, createDriver({ measure, servers, effort, load }), effort);
  } finally {
    await load.stop();
  }
}

type Drive = (side: Side, forMs: number) => Promise<Driven>;

async function inTurn(measure: Measure, drive: Drive, effort: Effort): Promise<Comparison> {
  const reports: Record<Side, Driven[]> = { ours: [], other: [] };
  await drive('other', effort.warmUpMs);
  await drive('ours', effort.warmUpMs);
  for (let round = 0; round < effort.rounds; round += 1) {
    const order: Side[] = round % 2 === 0 ? ['ours', 'other'] : ['other', 'ours'];
    for (const side of order) reports[side].push(await drive(side, effort.roundMs));
  }
  const ratios = reports.ours.map((report, round) => rateOf([report]) / rateOf([reports.other[round]]));
  const { id, title, goal } = measure;
  return {
    id,
    title,
    goal,
    ours: read(reports.ours),
    other: read(reports.other),
    ratio: median(ratios),
    ratios,
    otherwise: countOtherwise(reports.ours),
  };
}

type DriverParts = { measure: Measure; servers: Servers; effort: Effort; load: Child<LoadOrder, LoadReport> };

function createDriver({ measure, servers, effort, load }: DriverParts): Drive {
  let from = 1;
  return async (side, forMs) => {
    const { port, pid, request, databaseCpuMs = () => 0 } = servers[side];
    const cpuBefore = cpuTimeMs(pid) ?? NaN;
    const databaseBefore = databaseCpuMs();
    const report = await load.ask({
      port,
      connections: Math.min(effort.connections, measure.mostConnections),
      forMs,
      request,
      from,
      expectedStatus: measure.first.status,
    });
    from = report.next;
    return {
      ...report,
      cpuMs: (cpuTimeMs(pid) ?? NaN) - cpuBefore,
      databaseCpuMs: databaseCpuMs() - databaseBefore,
    };
  };
}

function rateOf(reports: (LoadReport | undefined)[]): number {
  const there = reports.filter((report) => report !== undefined);
  return (1_000 * sum(there.map(({ completed }) => completed))) / sum(there.map(({ forMs }) => forMs));
}

function read(reports: Driven[]): Figures {
  const latencies = reports.flatMap(({ latenciesMs }) => latenciesMs);
  return {
    perSecond: rateOf(reports),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuUs: (1_000 * sum(reports.map(({ cpuMs }) => cpuMs))) / latencies.length,
    databaseCpuUs: (1_000 * sum(reports.map(({ databaseCpuMs }) => databaseCpuMs))) / latencies.length,
    requests: latencies.length,
  };
}

function countOtherwise(reports: LoadReport[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [status, count] of reports.flatMap(({ otherwise }) => Object.entries(otherwise)))
    total[status] = (total[status] ?? 0) + count;
  return total;
}
