import { readFileSync } from 'node:fs';

/** The cost of one address, from the committed results of the benchmarks. Bulk, in lists of 100. */
export type Costs = {
  /** Processor time in microseconds: in lists with ten addresses to a domain, and with every address alone at its own host. */
  workerUs: { inLists: number; alone: number };
  apiUs: number;
  databaseUs: number;
  statements: number;
  commits: number;
  walBytes: number;
  /** Bytes on the disk: rows that are erased with the task, and the books, which stay. */
  taskBytes: number;
  bookBytes: number;
  /** Conversations with mail hosts, in lists and alone. */
  conversations: { inLists: number; alone: number };
  dnsQueries: { inLists: number; alone: number };
  /** The machines were busy with other work when this was measured. */
  busy: boolean;
};

/** How a client behaves that is not in a hurry: it polls a task of 100 so often before it is completed. */
export const pollsOfTask = 5;
const perTask = 100;

export function readCosts(): Costs {
  const { scale, api, engine } = readResults();
  const { run, sizes } = scale.volume;
  const each = (total: number): number => total / run.addresses;
  const bytesOf = (names: string[]): number =>
    each(sum(sizes.filter(({ table }) => names.includes(table)).map(({ bytes }) => bytes)));
  const { alone, inList } = engine.cost;
  const workerUs = 1_000 * each(sum(run.cpuMs.workers));
  const engineUs = (one: EngineRun): number => (1_000 * one.cpuMs) / one.addresses;
  const requests = requestCosts(api.postgres);
  return {
    // Alone, the engine has more to do; the store's share of the worker is the same.
    workerUs: { inLists: workerUs, alone: workerUs - engineUs(inList) + engineUs(alone) },
    apiUs: requests.apiUs,
    databaseUs: 1_000 * each(run.cpuMs.database) + requests.databaseUs,
    statements: each(run.creation.statements + run.work.statements) + (pollsOfTask + 1) / perTask,
    commits: each(run.creation.commits + run.work.commits),
    walBytes: each(run.creation.walBytes + run.work.walBytes),
    taskBytes: bytesOf(['task', 'item']),
    bookBytes: bytesOf(['hold', 'entry']),
    conversations: {
      inLists: inList.conversations / inList.addresses,
      alone: alone.conversations / alone.addresses,
    },
    dnsQueries: {
      inLists: inList.world.dnsQueries / inList.addresses,
      alone: alone.world.dnsQueries / alone.addresses,
    },
    busy: [scale, api, engine].some(({ machine }) => machine.loadBefore > machine.cores / 2),
  };
}

/** Its share of creating a task, of the polls, and of the one answer that holds the results. */
function requestCosts(measures: ApiMeasure[]): { apiUs: number; databaseUs: number } {
  const of = (id: string, field: 'cpuUs' | 'databaseCpuUs'): number => {
    const measure = measures.find((one) => one.id === id);
    if (measure === undefined) throw new Error(`bench/results/api.json does not have ${id} on PostgreSQL`);
    return measure.ours[field];
  };
  const all = (field: 'cpuUs' | 'databaseCpuUs'): number =>
    (of('bulk', field) + pollsOfTask * of('running', field) + of('completed', field)) / perTask;
  return { apiUs: all('cpuUs'), databaseUs: all('databaseCpuUs') };
}

type Machine = { cores: number; loadBefore: number };
type EngineRun = {
  addresses: number;
  cpuMs: number;
  conversations: number;
  world: { dnsQueries: number };
};
type ApiMeasure = { id: string; ours: { cpuUs: number; databaseCpuUs: number } };
type Work = { statements: number; commits: number; walBytes: number };
type ScaleResult = {
  machine: Machine;
  volume: {
    run: {
      addresses: number;
      creation: Work;
      work: Work;
      cpuMs: { database: number; workers: number[] };
    };
    sizes: { table: string; bytes: number }[];
  };
};

type Results = {
  scale: ScaleResult;
  api: { machine: Machine; postgres: ApiMeasure[] };
  engine: { machine: Machine; cost: { alone: EngineRun; inList: EngineRun } };
};

/** The benchmarks write these files; bench/src/results.ts says how. */
function readResults(): Results {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../bench/results/${name}.json`, import.meta.url), 'utf8'));
  return { scale: read('scale'), api: read('api'), engine: read('engine') } as Results;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
