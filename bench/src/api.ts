/**
 * `npm run bench:api`: what the service costs over the framework it stands on, with SQLite and with PostgreSQL behind it.
 * Each request is set against a bare route of the same framework in the same run; see `api/compare.ts` for how.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BareAnswer, BareRoute } from './api/bare-process.ts';
import { compare, type Comparison, type Effort } from './api/compare.ts';
import { prepareMeasures } from './api/measures.ts';
import { startService, type DatabaseKind } from './api/start-service.ts';
import { startChild, type ChildModule } from './processes/child.ts';
import { describeMachine, machineLines, type Machine } from './results/describe-machine.ts';
import { short } from './results/numbers.ts';
import { publish } from './results/publish.ts';
import { table } from './results/table.ts';

const { values: wish } = parseArgs({
  options: {
    /** One measure alone: single, running, completed or bulk. */
    only: { type: 'string' },
    /** One database alone: sqlite or postgres. */
    database: { type: 'string' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** Writes CPU profiles of the service into this folder. */
    profile: { type: 'string' },
    connections: { type: 'string', default: '64' },
  },
});

const full: Omit<Effort, 'connections'> = { rounds: 10, roundMs: 1_500, warmUpMs: 4_000 };
const quick: Omit<Effort, 'connections'> = { rounds: 2, roundMs: 1_000, warmUpMs: 1_000 };

const bareModule: ChildModule<BareRoute[], BareAnswer> = {
  path: join(import.meta.dirname, 'api/bare-process.ts'),
};

const databases: DatabaseKind[] = ['sqlite', 'postgres'];

const ourColumns = ['request', 'a second', 'p50 ms', 'p99 ms', 'CPU µs'];
const bareColumns = ['bare: a second', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'pairs'];
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

await run({ ...(wish.quick ? quick : full), connections: Number(wish.connections) });

async function run(effort: Effort): Promise<void> {
  const machine = describeMachine();
  const results: Partial<Record<DatabaseKind, Comparison[]>> = {};
  for (const database of databases.filter((kind) => wish.database === undefined || wish.database === kind))
    results[database] = await measureWith(database, effort);
  const { sqlite = [], postgres = [] } = results;
  const lines = [...describe({ sqlite, postgres }, machine, effort)];
  publish({ name: 'api', lines, figures: { machine, effort, comparisons: sqlite, postgres } }, wish);
}

async function measureWith(database: DatabaseKind, effort: Effort): Promise<Comparison[]> {
  const service = await startService({ database, profileFolder: wish.profile });
  const bare = startChild(bareModule);
  try {
    const measures = await prepareMeasures(service);
    const { port } = await bare.ask(measures.map((measure) => measure.bare));
    const servers = { ours: service, bare: { port, pid: bare.pid } };
    const comparisons: Comparison[] = [];
    for (const measure of measures.filter(({ id }) => wish.only === undefined || wish.only === id)) {
      process.stderr.write(`${database}: ${measure.title} …\n`);
      comparisons.push(await compare(measure, servers, effort));
    }
    return comparisons;
  } finally {
    await Promise.all([bare.stop(), service.stop()]);
  }
}

type Results = Record<DatabaseKind, Comparison[]>;

function describe({ sqlite, postgres }: Results, machine: Machine, effort: Effort): string[] {
  const { connections, rounds, roundMs } = effort;
  return [
    '# What the API costs',
    '',
    ...machineLines(machine),
    `- ${connections} connections (16 for POST bulk), ${rounds} rounds of ${roundMs / 1_000} s each, ours and the bare route in turn`,
    '- service (`./mailproof serve`, log to a file), bare route and load generator each in a process of its own',
    '',
    'The ratio is that of the rates, the median over the pairs of rounds; `pairs` are the lowest and the highest.',
    'CPU is the time of the server for one request; what is missing to the wall is waiting, for the disk above all.',
    ...(sqlite.length === 0 ? [] : sqliteLines(sqlite)),
    ...(postgres.length === 0 ? [] : postgresLines(postgres, sqlite)),
    ...[...sqlite, ...postgres]
      .filter(({ otherwise }) => Object.keys(otherwise).length > 0)
      .map(
        ({ title, otherwise }) =>
          `\nAnswered otherwise and not counted: ${title}: ${JSON.stringify(otherwise)}`,
      ),
  ];
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
    'A server of its own on the same machine and the same cores, durable; writes of many callers share a commit here too. One account, so one transaction at a time.',
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

function row({ title, ours, bare, ratio, ratios, goal }: Comparison): string[] {
  const verdict = goal === undefined ? '–' : `≥ ${percent(goal)}: ${ratio >= goal ? 'met' : 'not met'}`;
  return [
    title,
    ...[ours, bare].flatMap(({ perSecond, p50Ms, p99Ms, cpuUs }) =>
      [perSecond, p50Ms, p99Ms, cpuUs].map(short),
    ),
    percent(ratio),
    `${percent(Math.min(...ratios))}–${percent(Math.max(...ratios))}`,
    verdict,
  ];
}
