/**
 * First what the service can do: as many requests at once as it lets in, each followed by the next. Then ten times
 * that rate from people who do not wait for each other, while somebody polls a task all the time.
 */
import { startChild } from '../processes/child.ts';
import { cpuTimeMs } from '../processes/cpu-time.ts';
import { median, quantile, sum } from '../results/numbers.ts';
import { loadModule, type LoadOrder } from '../api/load-module.ts';
import { serialMark, wireRequest } from '../api/wire-request.ts';
import { openLoadModule, type OpenLoadReport } from './open-load-module.ts';
import { pollTask, type Polling } from './poll-task.ts';
import { domainNames, type ServiceUnderLoad } from './start-service-under-load.ts';

export type Overload = {
  capacity: { perSecond: number; p50Ms: number; cpuUs: number };
  offeredPerSecond: number;
  forMs: number;
  goodput: { perSecond: number; share: number; p50Ms: number; p99Ms: number };
  refusals: { count: number; p50Ms: number; p99Ms: number; mostMs: number; slow: number };
  /** At most: see `measureRefusalCost`. */
  refusalCpuUs: number;
  withoutRetryAfter: number;
  /** Answers that were neither a verdict nor a refusal, by status; connections that broke; requests never sent. */
  otherwise: Record<string, number>;
  broken: number;
  unsent: number;
  generatorLateP99Ms: number;
  polling: Polling;
};

type Effort = { warmUpMs: number; capacityMs: number; overloadMs: number };

/** As many as the service lets in at once (`inFlight.single` in http/admission.ts): just enough to saturate it. */
const places = 200;
const times = 10;
/** What is under way when the overload begins is answered by then, and the fixture is full of the new. */
const settleMs = 4_000;
const mostConnections = 1_500;
const refusalsMs = 8_000;
const slowMs = 50;
const path = '/api/v1/email-verification';

export async function measureOverload(fixture: ServiceUnderLoad, effort: Effort): Promise<Overload> {
  const saturation = createSaturation(fixture);
  try {
    await saturation.drive({ connections: places, forMs: effort.warmUpMs });
    const capacity = await measureCapacity(fixture, saturation, effort.capacityMs);
    const seen = await offerTooMuch(fixture, capacity, effort.overloadMs);
    return { ...seen, refusalCpuUs: await measureRefusalCost(fixture, saturation) };
  } finally {
    await saturation.stop();
  }
}

async function offerTooMuch(
  fixture: ServiceUnderLoad,
  capacity: Overload['capacity'],
  forMs: number,
): Promise<Omit<Overload, 'refusalCpuUs'>> {
  const perSecond = Math.round(capacity.perSecond * times);
  const polling = pollTask(fixture);
  const load = startChild(openLoadModule);
  try {
    const report = await load.ask({
      port: fixture.port,
      path,
      keys: fixture.keys,
      domains: domainNames(),
      mostConnections,
      perSecond,
      forMs,
      from: 10_000_000,
    });
    return {
      ...read({ report, capacity, forMs }),
      offeredPerSecond: perSecond,
      polling: await polling.stop(),
    };
  } finally {
    await polling.stop();
    await load.stop();
  }
}

/** One generator for each key, so that no account's share is what binds. */
function createSaturation(fixture: ServiceUnderLoad) {
  const loads = fixture.keys.map(() => startChild(loadModule));
  // Each key has domains of its own.
  const next = fixture.keys.map((_, index) => (index * domainNames().length) / fixture.keys.length);
  const order = (key: string, index: number, { connections, forMs }: Drive): LoadOrder => ({
    port: fixture.port,
    connections: connections / fixture.keys.length,
    forMs,
    settleMs,
    request: requestOf(key),
    from: next[index] ?? 0,
    expectedStatus: 200,
  });
  return {
    drive: (how: Drive) =>
      Promise.all(
        loads.map(async (load, index) => {
          const from = next[index] ?? 0;
          const report = await load.ask(order(fixture.keys[index] ?? '', index, how));
          next[index] = report.next;
          return { ...report, sent: report.next - from };
        }),
      ),
    stop: () => Promise.all(loads.map((load) => load.stop())),
  };
}

type Drive = { connections: number; forMs: number };
type Saturation = ReturnType<typeof createSaturation>;

function requestOf(key: string): string {
  const body = { email: `nobody${serialMark}@${serialMark}.many.test` };
  return wireRequest({ method: 'POST', path, key, body });
}

async function measureCapacity(
  fixture: ServiceUnderLoad,
  saturation: Saturation,
  forMs: number,
): Promise<Overload['capacity']> {
  const cpuBefore = cpuTimeMs(fixture.pid) ?? NaN;
  const reports = await saturation.drive({ connections: places, forMs });
  const cpuMs = (cpuTimeMs(fixture.pid) ?? NaN) - cpuBefore;
  const latencies = reports.flatMap(({ latenciesMs }) => latenciesMs);
  return {
    perSecond: (1_000 * latencies.length) / (forMs - settleMs),
    p50Ms: median(latencies),
    cpuUs: (1_000 * cpuMs) / sum(reports.map(({ sent }) => sent)),
  };
}

/**
 * What a refusal costs: twice as many connections as places, so that many ask as fast as they are refused. All that the
 * server uses meanwhile is put on the refusals, the verifications under way included, so the figure is a bound.
 */
async function measureRefusalCost(fixture: ServiceUnderLoad, saturation: Saturation): Promise<number> {
  const cpuBefore = cpuTimeMs(fixture.pid) ?? NaN;
  const reports = await saturation.drive({ connections: 2 * places, forMs: refusalsMs });
  const cpuMs = (cpuTimeMs(fixture.pid) ?? NaN) - cpuBefore;
  return (1_000 * cpuMs) / sum(reports.map(({ otherwise }) => otherwise['503'] ?? 0));
}

type Seen = { report: OpenLoadReport; capacity: Overload['capacity']; forMs: number };

function read({
  report,
  capacity,
  forMs,
}: Seen): Omit<Overload, 'offeredPerSecond' | 'polling' | 'refusalCpuUs'> {
  const good = report.answered.filter(({ status }) => status === 200);
  const inTime = good.filter(({ atMs }) => atMs >= settleMs && atMs < forMs);
  const refused = report.answered.filter(({ status }) => status === 503).map(({ ms }) => ms);
  const perSecond = (1_000 * inTime.length) / (forMs - settleMs);
  const otherwise: Record<string, number> = {};
  for (const { status } of report.answered.filter((one) => one.status !== 200 && one.status !== 503))
    otherwise[status] = (otherwise[status] ?? 0) + 1;
  return {
    capacity,
    forMs,
    goodput: {
      perSecond,
      share: perSecond / capacity.perSecond,
      p50Ms: median(good.map(({ ms }) => ms)),
      p99Ms: quantile(
        good.map(({ ms }) => ms),
        0.99,
      ),
    },
    refusals: {
      count: refused.length,
      p50Ms: median(refused),
      p99Ms: quantile(refused, 0.99),
      mostMs: refused.reduce((most, ms) => Math.max(most, ms), 0),
      slow: refused.filter((ms) => ms > slowMs).length,
    },
    withoutRetryAfter: report.withoutRetryAfter,
    otherwise,
    broken: report.broken,
    unsent: report.unsent,
    generatorLateP99Ms: quantile(report.lateMs, 0.99),
  };
}
