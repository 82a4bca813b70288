/**
 * Two servers with the same load, round by round in turn, each round beginning with the other: what drifts (the
 * machine's other work, its temperature, the size of the database) falls on both alike. Of the pairs of rounds only the
 * half counts in which the machine did the least for others; the ratio is the median over these.
 */
import { startChild, type Child } from '../processes/child.ts';
import { cpuTimeMs } from '../processes/cpu-time.ts';
import { calmestHalf, watchLostTime } from '../processes/lost-processor-time.ts';
import { median, quantile, sum } from '../results/numbers.ts';
import { loadModule, type LoadOrder, type LoadReport } from './load-module.ts';
import type { Measure } from './measures.ts';

/** `starts`: so often both sides are started anew, for as many rounds each: two starts of the same code differ, too. */
export type Effort = {
  connections: number;
  starts: number;
  rounds: number;
  roundMs: number;
  warmUpMs: number;
};

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
  /** Of the pairs that count. */
  ratios: number[];
  /** Of the processor, to others than this benchmark while these ran. */
  lostShare: number;
  /** Answers of ours that were not what was asked for, by status. */
  otherwise: Record<string, number>;
};

/** Where each side listens, the process it is, and how it is asked. */
type Servers = Record<Side, Server>;
export type Server = { port: number; pid: number; request: string; databaseCpuMs?: () => number };
type Side = 'ours' | 'other';
type Driven = LoadReport & { cpuMs: number; databaseCpuMs: number };

/** A round of either side, one after the other. */
export type Pair = Record<Side, Driven> & { lostShare: number };

export async function drivePairs(measure: Measure, servers: Servers, effort: Effort): Promise<Pair[]> {
  const load = startChild(loadModule);
  try {
    return await inTurn(createDriver({ measure, servers, effort, load }), effort);
  } finally {
    await load.stop();
  }
}

type Drive = (side: Side, forMs: number) => Promise<Driven>;

async function inTurn(drive: Drive, { warmUpMs, rounds, roundMs }: Effort): Promise<Pair[]> {
  await drive('other', warmUpMs);
  await drive('ours', warmUpMs);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const lostShare = watchLostTime();
    const driven: Partial<Record<Side, Driven>> = {};
    const order: Side[] = round % 2 === 0 ? ['ours', 'other'] : ['other', 'ours'];
    for (const side of order) driven[side] = await drive(side, roundMs);
    pairs.push({ ...(driven as Record<Side, Driven>), lostShare: lostShare() });
  }
  return pairs;
}

export function compare({ id, title, goal }: Measure, pairs: Pair[]): Comparison {
  const counted = calmestHalf(pairs);
  const ours = counted.map((pair) => pair.ours);
  const ratios = counted.map((pair) => rateOf([pair.ours]) / rateOf([pair.other]));
  return {
    id,
    title,
    goal,
    ours: read(ours),
    other: read(counted.map((pair) => pair.other)),
    ratio: median(ratios),
    ratios,
    lostShare: median(counted.map(({ lostShare }) => lostShare)),
    otherwise: countOtherwise(pairs.map((pair) => pair.ours)),
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

function rateOf(reports: LoadReport[]): number {
  return (1_000 * sum(reports.map(({ completed }) => completed))) / sum(reports.map(({ forMs }) => forMs));
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
