/**
 * `npm run bench -- api`: the cost of the service over its framework, with SQLite and with PostgreSQL. Each request is
 * compared with a bare route of the same framework in the same run (`api/compare.ts`).
 *
 * With `--against CHECKOUT` it is compared with the service of another checkout: the cost or gain of a change.
 */
import { execFileSync } from 'node:child_process';
import { bareModule } from './api/bare-process.ts';
import {
  measureGroups,
  compare,
  drivePairs,
  prepareMeasure,
  type MeasureId,
  type Comparison,
  type Effort,
  type Pair,
  type Server,
  type Measure,
  type Figures,
} from './api/compare.ts';
import {
  startService,
  openSurroundings,
  type ServiceUnderTest,
  type DatabaseKind,
  type Surroundings,
} from './api/service.ts';
import { wireRequest } from './load-generator.ts';
import { startChild } from './processes/child.ts';
import { describeMachine, publish, readWish, machineLines, short, table, type Machine } from './results.ts';

const options = {
  /** Some measures alone, with commas between them: host, known, running, completed, bulk. */
  only: { type: 'string' },
  /** One database alone: sqlite or postgres. */
  database: { type: 'string' },
  /** A folder with another checkout, its packages installed. */
  against: { type: 'string' },
  /** Writes CPU profiles of the service into this folder. */
  profile: { type: 'string' },
  connections: { type: 'string', default: '64' },
} as const;

// In its first seconds a server compiles its code, beside its work and on the same cores.
const full = { starts: 3, rounds: 8, roundMs: 750, warmUpMs: 6_000 };
const quick = { starts: 1, rounds: 2, roundMs: 1_000, warmUpMs: 1_000 };

export async function runApi(args: string[]): Promise<void> {
  const wish = readWish(args, options);
  const effort = { ...(wish.quick ? quick : full), connections: Number(wish.connections) };
  const machine = describeMachine();
  const results: ApiResults = await measureApi({
    ids: idsOf(wish.only ?? (wish.against === undefined ? undefined : 'host,known')),
    databases: (['sqlite', 'postgres'] as const).filter((kind) => (wish.database ?? kind) === kind),
    against: wish.against,
    profileFolder: wish.profile,
    effort,
  });
  const described = { results, machine, effort };
  if (wish.against === undefined) {
    const { sqlite = [], postgres = [] } = results;
    const figures = { machine, effort, comparisons: sqlite, postgres };
    publish({ name: 'api', lines: describeCosts(described), figures }, wish);
  } else {
    const lines = describeChange({ ...described, against: wish.against });
    publish({ name: 'api-change', lines, figures: { machine, effort, ...results } }, wish);
  }
}

function idsOf(only: string | undefined): MeasureId[] {
  const all = measureGroups.flatMap(({ ids }) => ids);
  return only === undefined ? all : all.filter((id) => only.split(',').includes(id));
}

type ApiResults = Partial<Record<DatabaseKind, Comparison[]>>;

type MeasureOptions = {
  ids: MeasureId[];
  databases: DatabaseKind[];
  /** Another checkout, in place of the bare route. */
  against: string | undefined;
  profileFolder: string | undefined;
  effort: Effort;
};

/** Takes every measure with every database, ours and the other side in turn. */
async function measureApi(options: MeasureOptions): Promise<ApiResults> {
  const results: ApiResults = {};
  for (const database of options.databases) {
    const surroundings = await openSurroundings(database);
    try {
      const comparisons: Comparison[] = [];
      for (const { pacing, ids } of measureGroups) {
        const wanted = ids.filter((id) => options.ids.includes(id));
        if (wanted.length === 0) continue;
        comparisons.push(...(await measureGroup(wanted, { ...options, database, surroundings, pacing })));
      }
      results[database] = comparisons;
    } finally {
      await surroundings.stop();
    }
  }
  return results;
}

type GroupOptions = MeasureOptions & {
  database: DatabaseKind;
  surroundings: Surroundings;
  pacing: 'on' | 'off';
};

async function measureGroup(ids: MeasureId[], options: GroupOptions): Promise<Comparison[]> {
  const measured = new Map<MeasureId, Measured>();
  const { database, effort } = options;
  const { starts } = effort;
  for (let start = 1; start <= starts; start += 1) {
    process.stderr.write(`${database}, start ${start} of ${starts}: ${ids.join(', ')} …\n`);
    for (const { measure, pairs } of await measureOnce(ids, options)) {
      const before = measured.get(measure.id)?.pairs ?? [];
      measured.set(measure.id, { measure, pairs: [...before, ...pairs] });
    }
  }
  return [...measured.values()].map(({ measure, pairs }) => compare(measure, pairs));
}

type Measured = { measure: Measure; pairs: Pair[] };

/** With both sides just started. */
async function measureOnce(ids: MeasureId[], options: GroupOptions): Promise<Measured[]> {
  const { profileFolder, against, effort, ...service } = options;
  const ours = await startService({ ...service, profileFolder });
  const other =
    against === undefined
      ? bareRoutes()
      : otherService(await startService({ ...service, checkout: against }));
  try {
    const measured: Measured[] = [];
    for (const id of ids) {
      const measure = await prepareMeasure(ours, id);
      const servers = { ours: { ...ours, request: measure.request }, other: await other.serve(measure) };
      measured.push({ measure, pairs: await drivePairs(measure, servers, effort) });
    }
    return measured;
  } finally {
    await Promise.all([other.stop(), ours.stop()]);
  }
}

/** The side that ours is set against. */
type OtherSide = { serve(measure: Measure): Promise<Server>; stop(): Promise<void> };

/** A route that takes the same and answers the same, and does nothing else. */
function bareRoutes(): OtherSide {
  const started: { stop(): Promise<void> }[] = [];
  return {
    serve: async ({ id, asked, first }) => {
      const bare = startChild(bareModule);
      started.push(bare);
      const path = `/bare/${id}`;
      const { port } = await bare.ask([{ method: asked.method, path, ...first }]);
      return { port, pid: bare.pid, request: wireRequest({ ...asked, path, key: 'mp_live_none' }) };
    },
    stop: async () => {
      await Promise.all(started.map((bare) => bare.stop()));
    },
  };
}

function otherService(service: ServiceUnderTest): OtherSide {
  return {
    serve: async ({ id }) => ({ ...service, request: (await prepareMeasure(service, id)).request }),
    stop: () => service.stop(),
  };
}

type Described = { results: ApiResults; machine: Machine; effort: Effort };

const ourColumns = ['request', 'a second', 'p50 ms', 'p99 ms', 'CPU µs'];
const bareColumns = ['bare: a second', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'pairs', 'processor to others'];

/** The service beside a bare route of its framework, as a page. */
function describeCosts({ results: { sqlite = [], postgres = [] }, machine, effort }: Described): string[] {
  return [
    '# What the API costs',
    '',
    ...machineLines(machine),
    ...effortLines(effort, 'ours and the bare route'),
    '- service (`./mailproof serve`, log to a file), mail hosts, bare route and load generator each in a process of its own',
    '',
    'The first row is what users send: an address that nothing is known of, at one of 1,000 domains with 250 mail hosts that',
    'answer without delay, on the same cores; pacing is off for it, and on for the others.',
    'The ratio is that of the rates, the median over the pairs that count; `pairs` are the lowest and the highest.',
    'CPU is the time of the server for one request; what is missing to the wall is waiting, for the disk above all.',
    ...(sqlite.length === 0 ? [] : sqliteLines(sqlite)),
    ...(postgres.length === 0 ? [] : postgresLines(postgres, sqlite)),
    ...otherwiseLines([...sqlite, ...postgres]),
  ];
}

function effortLines({ connections, starts, rounds, roundMs }: Effort, sides: string): string[] {
  return [
    `- ${connections} connections (16 for POST bulk), ${sides} in turn: ${rounds} rounds of ${roundMs / 1_000} s each, with both started anew ${starts} times`,
    '- of the pairs of rounds the half counts in which the least of the processor went to others (other processes, and what the host of a virtual machine gave away)',
  ];
}

function otherwiseLines(comparisons: Comparison[]): string[] {
  return comparisons
    .filter(({ otherwise }) => Object.keys(otherwise).length > 0)
    .map(
      ({ title, otherwise }) =>
        `\nAnswered otherwise and not counted: ${title}: ${JSON.stringify(otherwise)}`,
    );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function pairsOf({ ratios }: Comparison): string {
  return `${percent(Math.min(...ratios))}–${percent(Math.max(...ratios))}`;
}

function sqliteLines(comparisons: Comparison[]): string[] {
  return [
    '',
    '## SQLite',
    '',
    'In the data directory, with `synchronous=FULL`; writes of many callers share a commit.',
    '',
    ...table([...ourColumns, ...bareColumns, 'goal'], comparisons.map(row)),
  ];
}

function postgresLines(comparisons: Comparison[], sqlite: Comparison[]): string[] {
  const besides = (comparison: Comparison): string => {
    const other = sqlite.find(({ id }) => id === comparison.id);
    return other === undefined ? '–' : percent(comparison.ours.perSecond / other.ours.perSecond);
  };
  return [
    '',
    '## PostgreSQL',
    '',
    'A server of its own on the same machine and the same cores, durable; writes of many callers share a commit here too.',
    'One account, so one transaction at a time.',
    '',
    ...table(
      [...ourColumns, 'database: CPU µs', ...bareColumns, 'SQLite’s rate'],
      comparisons.map((comparison) => {
        const cells = row(comparison);
        const databaseCpu = short(comparison.ours.databaseCpuUs);
        return [...cells.slice(0, 5), databaseCpu, ...cells.slice(5, -1), besides(comparison)];
      }),
    ),
  ];
}

function row(comparison: Comparison): string[] {
  const { title, ours, other, ratio, goal } = comparison;
  const verdict = goal === undefined ? '–' : `≥ ${percent(goal)}: ${ratio >= goal ? 'met' : 'not met'}`;
  return [
    title,
    ...[ours, other].flatMap(({ perSecond, p50Ms, p99Ms, cpuUs }) =>
      [perSecond, p50Ms, p99Ms, cpuUs].map(short),
    ),
    percent(ratio),
    pairsOf(comparison),
    percent(comparison.lostShare),
    verdict,
  ];
}

const columns = ['a second', 'p50 ms', 'p99 ms', 'CPU µs', 'database: CPU µs'];

/** This tree beside another checkout, as a page. */
function describeChange({ results, machine, effort, against }: Described & { against: string }): string[] {
  const { sqlite = [], postgres = [] } = results;
  const header = [
    'request',
    ...columns.map((column, at) => (at === 0 ? `before: ${column}` : column)),
    ...columns.map((column, at) => (at === 0 ? `now: ${column}` : column)),
    'ratio',
    'pairs',
    'processor to others',
  ];
  const section = (title: string, comparisons: Comparison[]): string[] =>
    comparisons.length === 0 ? [] : ['', `## ${title}`, '', ...table(header, comparisons.map(changeRow))];
  return [
    `# What changed since ${commitOf(against)}`,
    '',
    ...machineLines(machine),
    ...effortLines(effort, 'now and before'),
    '- both services (`./mailproof serve`, log to a file) with the same mail hosts, load generator and database server',
    '',
    'The ratio is that of the rates, now by before, the median over the pairs that count; `pairs` are the lowest and the highest.',
    ...section('SQLite', sqlite),
    ...section('PostgreSQL', postgres),
    ...otherwiseLines([...sqlite, ...postgres]),
  ];
}

function commitOf(checkout: string): string {
  return execFileSync('git', ['-C', checkout, 'log', '-1', '--format=%h'], { encoding: 'utf8' }).trim();
}

function changeRow(comparison: Comparison): string[] {
  const { title, ours, other, ratio, lostShare } = comparison;
  const cells = ({ perSecond, p50Ms, p99Ms, cpuUs, databaseCpuUs }: Figures): string[] => [
    ...[perSecond, p50Ms, p99Ms, cpuUs].map(short),
    databaseCpuUs > 0 ? short(databaseCpuUs) : '–',
  ];
  return [title, ...cells(other), ...cells(ours), percent(ratio), pairsOf(comparison), percent(lostShare)];
}
