/**
 * Two servers with the same load, in alternating rounds. Drift (other work of the machine, temperature, the size of the
 * database) falls on both alike. Of the pairs of rounds only the half counts in which the machine did the least for
 * others; the ratio is the median over these.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  loadModule,
  domainMark,
  mailboxMark,
  serialMark,
  wireRequest,
  withNumber,
  type LoadOrder,
  type LoadReport,
} from '../load-generator.ts';
import { startChild, type Child } from '../processes/child.ts';
import { cpuTimeMs, calmestHalf, watchLostTime } from '../processes/cpu-time.ts';
import { median, quantile, sum } from '../results.ts';
import { places, type ServiceUnderTest } from './service.ts';

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
  /** The same of the database, if it is a server of its own. */
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

/** For each side its port, its process and its request. */
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

export type MeasureId = 'host' | 'known' | 'running' | 'completed' | 'form' | 'bulk';

/** A request to measure, and the answer it must get. */
export type Measure = {
  id: MeasureId;
  title: string;
  /** Share of the bare route's rate that is the goal. */
  goal: number | undefined;
  asked: Asked;
  /** As it goes to the service. */
  request: string;
  /** The service's answer to the first request. */
  first: { status: number; answer: unknown };
  /** Most connections at once. More than the service admits would measure its queue. */
  mostConnections: number;
};

/** With the key of the account, unless it is said by what, and from which page. */
type Asked = { method: 'GET' | 'POST'; path: string; body: unknown; key?: string; origin?: string };

/** Measured one after the other, with a service of its own for each kind of pacing. */
export const measureGroups: { pacing: 'on' | 'off'; ids: MeasureId[] }[] = [
  // Every address is asked for once, and hosts are asked as fast as they answer.
  { pacing: 'off', ids: ['host'] },
  // Bulk is the last, for its tasks stay: their addresses wait for a host that is silent, so that creation is measured alone.
  { pacing: 'on', ids: ['known', 'running', 'completed', 'form', 'bulk'] },
];

const singlePath = '/api/v1/email-verification';
const bulkPath = '/api/v1/bulk-email-verification';
const perTask = 100;
const settleWithinMs = 60_000;

/** Asks once, to see that it is answered. */
export async function prepareMeasure(service: ServiceUnderTest, id: MeasureId): Promise<Measure> {
  const { mostConnections = Infinity, ...wanted } = await describeMeasure(service, id);
  const first = await call(service, wanted.asked);
  if (first.status >= 300)
    throw new Error(`${wanted.title}: ${first.status} ${JSON.stringify(first.answer)}`);
  const request = wireRequest({ key: service.key, ...wanted.asked });
  return { id, ...wanted, request, first, mostConnections };
}

type Wanted = Pick<Measure, 'title' | 'goal' | 'asked'> & { mostConnections?: number };

async function describeMeasure(service: ServiceUnderTest, id: MeasureId): Promise<Wanted> {
  switch (id) {
    case 'host':
      return {
        title: 'POST single, a mail host is asked, durable credits',
        goal: undefined,
        asked: single(`alive${mailboxMark}@d${domainMark}.test`),
      };
    case 'known':
      return {
        title: 'POST single, a verdict without network, durable credits',
        goal: undefined,
        asked: single(`user${serialMark}@${places.disposable}`),
      };
    case 'running':
      return { title: 'GET a running task', goal: 0.6, asked: getTask(await createRunningTask(service)) };
    case 'completed':
      return {
        title: `GET a completed task, ${perTask} results`,
        goal: 0.6,
        asked: getTask(await createTask(service, batchAt(places.disposable), 'completed')),
      };
    case 'form':
      return {
        title: 'POST form check, DNS known, of a thousand domains',
        goal: undefined,
        asked: await formCheck(service),
      };
    case 'bulk':
      return {
        title: `POST bulk, ${perTask} addresses`,
        goal: undefined,
        mostConnections: 16,
        asked: { method: 'POST', path: bulkPath, body: { emails: batchAt(places.silent) } },
      };
  }
}

function single(email: string): Asked {
  return { method: 'POST', path: singlePath, body: { email } };
}

const page = 'https://www.example.com';

/** By a key that is good for more than can be asked. */
async function formCheck(service: ServiceUnderTest): Promise<Asked> {
  const body = { origins: [page], checks_per_day: 10_000_000, checks_per_visitor: 10_000_000 };
  const { answer } = await call(service, { method: 'POST', path: '/api/v1/account/form-keys', body });
  const asked = {
    method: 'POST',
    path: '/api/v1/form-check',
    key: String(field(answer, 'form_key')),
  } as const;
  return { ...asked, origin: page, body: { email: `user${mailboxMark}@d${domainMark}.test` } };
}

function getTask(id: string): Asked {
  return { method: 'GET', path: `${bulkPath}/${id}`, body: undefined };
}

function batchAt(domain: string): string[] {
  return Array.from({ length: perTask }, (_, index) => `user${index}-${serialMark}@${domain}`);
}

function createRunningTask(service: ServiceUnderTest): Promise<string> {
  const half = perTask / 2;
  const emails = [...batchAt(places.disposable).slice(0, half), ...batchAt(places.greylisting).slice(half)];
  return createTask(service, emails, 'running');
}

/** Creates a task and waits until it is as it should be for the measurement. */
async function createTask(
  service: ServiceUnderTest,
  emails: string[],
  wanted: 'running' | 'completed',
): Promise<string> {
  const { answer } = await call(service, { method: 'POST', path: bulkPath, body: { emails } });
  const id = String(field(answer, 'task_id'));
  for (const startedAt = performance.now(); performance.now() - startedAt < settleWithinMs;) {
    const { answer: task } = await call(service, getTask(id));
    const isHalfDone =
      field(task, 'status') === 'running' && Number(field(task, 'count_checked')) >= perTask / 2;
    if (wanted === 'running' ? isHalfDone : field(task, 'status') === wanted) return id;
    await pause(100);
  }
  throw new Error(`the task for the measurement did not become ${wanted}`);
}

async function call(
  { port, key: ofAccount }: ServiceUnderTest,
  { method, path, body, key = ofAccount, origin }: Asked,
): Promise<Measure['first']> {
  const text = body === undefined ? undefined : withNumber(JSON.stringify(body))(0);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(origin === undefined ? {} : { origin }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  return { status: response.status, answer: await response.json() };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
