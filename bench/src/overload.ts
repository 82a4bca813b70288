/**
 * `npm run bench -- overload`: ten times the capacity of the service.
 *
 * With `--attack`: the cost of an attacker to other users, see `overload/attacks.ts`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  loadModule,
  openLoadModule,
  serialMark,
  wireRequest,
  type LoadOrder,
  type OpenLoadReport,
} from './load-generator.ts';
import { describeAttacks, measureAttacks, type AttackResults } from './overload/attacks.ts';
import { startServiceUnderLoad, domainNames, type ServiceUnderLoad } from './overload/services.ts';
import { startChild } from './processes/child.ts';
import { cpuTimeMs } from './processes/cpu-time.ts';
import {
  describeMachine,
  machineLines,
  publish,
  readKept,
  readWish,
  short,
  table,
  median,
  quantile,
  sum,
  type Machine,
} from './results.ts';

const options = {
  /** Measures attacks instead. */
  attack: { type: 'boolean', default: false },
  /** Attacks on one database alone, sqlite or postgres; the written figures of the other stay. */
  only: { type: 'string' },
  /** Some kinds of attacks alone (`slow_singles,guesses`), for a look: nothing is written. */
  kind: { type: 'string' },
} as const;

const met = (isMet: boolean): string => (isMet ? 'met' : 'not met');

export async function runOverload(args: string[]): Promise<void> {
  const { attack, only, kind, quick, write } = readWish(args, options);
  if (attack) return runAttacks({ only, kind, quick, write });
  const effort = quick
    ? { warmUpMs: 5_000, capacityMs: 10_000, overloadMs: 14_000 }
    : { warmUpMs: 10_000, capacityMs: 24_000, overloadMs: 40_000 };
  const machine = describeMachine();
  const fixture = await startServiceUnderLoad();
  try {
    const overload = await measureOverload(fixture, effort);
    publish(
      { name: 'overload', lines: describeOverload(overload, machine), figures: { machine, ...overload } },
      { write },
    );
  } finally {
    await fixture.stop();
  }
}

type AttackWish = { only: string | undefined; kind: string | undefined; quick: boolean; write: boolean };

async function runAttacks({ only, kind, quick, write }: AttackWish): Promise<void> {
  const machine = describeMachine();
  const perSecond = 40;
  const effort = { rounds: quick ? 1 : 6, perSecond };
  const kept = only === undefined ? undefined : (readKept('attacks') as AttackResults | undefined);
  const results: AttackResults = kept ?? {};
  for (const database of ['sqlite', 'postgres'] as const)
    if ((only ?? database) === database) results[database] = await measureAttacks(database, effort, kind);
  const lines = describeAttacks(results, machine, perSecond);
  publish(
    { name: 'attacks', lines, figures: { ...results, machine } },
    { write: write && kind === undefined },
  );
}

function describeOverload(overload: Overload, about: Machine): string[] {
  const { capacity, goodput, refusals, polling, forMs } = overload;
  return [
    '# Ten times too much',
    '',
    ...machineLines(about),
    '',
    `One API process. Mail hosts take 0.3 to 0.7 s for a reply, so that what binds are its 200 places for single verifications and not the processor. First 200 connections, each with one request after the other; then ten times that rate for ${forMs / 1_000} s from a generator that does not wait for answers.`,
    '',
    ...table(
      ['', 'a second', 'p50 ms', 'p99 ms', 'CPU µs of the server'],
      [
        ['capacity', short(capacity.perSecond), short(capacity.p50Ms), '–', short(capacity.cpuUs)],
        ['offered', short(overload.offeredPerSecond), '–', '–', '–'],
        ['verified', short(goodput.perSecond), short(goodput.p50Ms), short(goodput.p99Ms), '–'],
        [
          'refused (503)',
          short((1_000 * refusals.count) / forMs),
          short(refusals.p50Ms),
          short(refusals.p99Ms),
          short(overload.refusalCpuUs),
        ],
      ],
    ),
    '',
    `- goodput: **${(100 * goodput.share).toFixed(0)} %** of capacity (goal: at least 90 %: ${met(goodput.share >= 0.9)})`,
    `- refusals: p99 **${short(refusals.p99Ms)} ms** (goal: at most 50 ms: ${met(refusals.p99Ms <= 50)}), at most ${short(refusals.mostMs)} ms; ${short(refusals.slow)} of ${short(refusals.count)} took longer than 50 ms`,
    `- a refusal costs at most **${short(overload.refusalCpuUs)} µs** of the server (goal: under 1,000 µs: ${met(overload.refusalCpuUs < 1_000)}); ${overload.withoutRetryAfter === 0 ? 'every one says when to come again' : `**${overload.withoutRetryAfter} do not say when to come again**`}`,
    `- polling meanwhile: ${short(polling.asked)} asked, **${polling.refused} refused** (goal: none: ${met(polling.refused === 0)}), p99 ${short(polling.p99Ms)} ms`,
    `- the generator was at most ${short(overload.generatorLateP99Ms)} ms behind its schedule (p99); not sent for want of connections: ${overload.unsent}; broken: ${overload.broken}; answered otherwise: ${JSON.stringify(overload.otherwise)}`,
  ];
}

type Overload = {
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
/** By then the requests from before the overload are answered, and all places hold new ones. */
const settleMs = 4_000;
const mostConnections = 1_500;
const refusalsMs = 8_000;
const slowMs = 50;
const path = '/api/v1/email-verification';

/**
 * First what the service can do: as many requests at once as it lets in, each followed by the next. Then ten times that
 * rate from independent clients, while another client polls a task all the time.
 */
async function measureOverload(fixture: ServiceUnderLoad, effort: Effort): Promise<Overload> {
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
 * The cost of a refusal: twice as many connections as places, so that many ask as fast as they are refused. All that
 * the server uses meanwhile is put on the refusals, the verifications under way included, so the figure is a bound.
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

type Polling = { asked: number; refused: number; p99Ms: number };

const everyMs = 50;
const withinMs = 10_000;

/** A client that polls a task all the time. */
function pollTask({ port, keys, task }: ServiceUnderLoad): { stop(): Promise<Polling> } {
  const latencies: number[] = [];
  const stopping = new AbortController();
  let refused = 0;

  async function poll(): Promise<void> {
    const sentAt = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/bulk-email-verification/${task}`, {
        headers: { authorization: `Bearer ${keys[0]}` },
        signal: AbortSignal.timeout(withinMs),
      });
      await response.text();
      if (response.status !== 200) refused += 1;
    } catch {
      refused += 1;
    }
    latencies.push(performance.now() - sentAt);
  }

  const polling = (async () => {
    while (!stopping.signal.aborted) {
      await poll();
      await pause(everyMs);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await polling;
      return { asked: latencies.length, refused, p99Ms: quantile(latencies, 0.99) };
    },
  };
}
