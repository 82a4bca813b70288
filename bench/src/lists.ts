/**
 * `npm run bench -- lists`: long lists, uploaded, run and downloaded; how much memory the processes take and how long
 * their event loops stand still.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccountWithKeys, openStore } from '../../service/src/index.ts';
import type { Population } from './engine/population.ts';
import { idleModule } from './engine/watch-loop.ts';
import {
  checkList,
  sandboxList,
  worldList,
  startWatchedService,
  type ListFigures,
  type CheckListParts,
} from './lists/check-list.ts';
import { startChild } from './processes/child.ts';
import { startBenchPostgres, type BenchPostgres } from './processes/servers.ts';
import { worldModule } from './processes/world-process.ts';
import {
  describeMachine,
  publish,
  readKept,
  readWish,
  tell,
  machineLines,
  short,
  table,
  type Machine,
} from './results.ts';

const options = {
  /** One database alone, SQLite or PostgreSQL; the written figures of the other stay. */
  only: { type: 'string' },
  /** Share of the rows, from 0 to 1. With `--quick` a twentieth. */
  share: { type: 'string' },
} as const;

export async function runLists(args: string[]): Promise<void> {
  const wish = readWish(args, options);
  const share = wish.quick ? 0.05 : Number(wish.share ?? 1);
  const sizes: ListSizes = {
    csvRows: fullRows * share,
    workbookRows: 200_000 * share,
    population: { addresses: 50_000 * share, domains: 5_000 * share, hosts: 200, latencyMs: 20 },
  };
  const databases: DatabaseFigures[] = [];
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const isWanted = wish.only === undefined || wish.only.toLowerCase() === database.toLowerCase();
    const figures = isWanted ? await measureDatabase(database, sizes) : keptFigures(database);
    if (figures !== undefined) databases.push(figures);
  }
  const lines = [...describeMethod(databases), ...databases.flatMap(describeLists)];
  publish({ name: 'lists', lines, figures: { databases } }, wish);
}

async function measureDatabase(
  database: DatabaseFigures['database'],
  sizes: ListSizes,
): Promise<DatabaseFigures> {
  const machine = describeMachine();
  const postgres = database === 'PostgreSQL' ? await startBenchPostgres() : undefined;
  try {
    return { ...(await measureLists(postgres, { sizes, tell })), machine };
  } finally {
    await postgres?.stop();
  }
}

function keptFigures(database: DatabaseFigures['database']): DatabaseFigures | undefined {
  // Only this benchmark writes it.
  const kept = readKept('lists') as { databases: DatabaseFigures[] } | undefined;
  return kept?.databases.find((one) => one.database === database);
}

/** Of the longest list of a whole run. */
const fullRows = 1_000_000;

const goals = { peakMb: 400, stallMs: 200 };

function describeMethod([first]: DatabaseFigures[]): string[] {
  if (first === undefined) return [];
  const { population } = first.sizes;
  return [
    '# Long lists',
    '',
    `A list is uploaded, run and downloaded whole, one after the other: as CSV and as a workbook in the sandbox without its delays, where one row in a hundred is a duplicate and one in a thousand no address; and as CSV in a world with ${short(population.domains)} domains on ${population.hosts} mail hosts with ${population.latencyMs} ms of latency a reply, limits per destination lifted (\`MAILPROOF_PACING=off\`).`,
    '',
    'Memory is the most that was resident in the phase (VmHWM). A stall is the longest time for which the event loop came to nothing else, by the clock. Beside it is the processor time of the process in such a stretch, which tells what was its own doing, and the longest stall of a process that had nothing to do, which is the machine’s.',
  ];
}

/** The figures as a reader wants them: a row for each phase and process, and whether the goals are met. */
function describeLists({ database, version, machine, sizes, lists }: DatabaseFigures): string[] {
  const shape =
    database === 'SQLite'
      ? 'one process (`serve`)'
      : 'API and worker apart (`serve --role api`, `--role worker`)';
  const processes = lists.flatMap(({ phases }) => phases.flatMap((phase) => phase.processes));
  const peak = Math.max(...processes.map(({ peakMb }) => peakMb));
  const stall = Math.max(...processes.map(({ stallMs }) => stallMs));
  const own = Math.max(...processes.map(({ stallCpuMs }) => stallCpuMs));
  const wrong = lists.reduce((sum, list) => sum + list.wrong, 0);
  return [
    '',
    `## ${database}, ${shape}`,
    '',
    ...machineLines(machine),
    ...(sizes.csvRows === fullRows ? [] : [`- **at ${short(sizes.csvRows / fullRows)} of the size**`]),
    ...(version === undefined
      ? []
      : [`- PostgreSQL ${version} on the same machine, durable (\`fsync\` and \`synchronous_commit\` on)`]),
    '',
    ...table(
      [
        'list',
        'rows',
        'MB',
        'phase',
        'seconds',
        'rows a second',
        'process',
        'peak memory, MB',
        'longest stall, ms',
        'its processor time, ms',
        'an idle process, ms',
      ],
      lists.flatMap(rowsOf),
    ),
    '',
    `- most memory of a process: **${short(peak)} MB** (goal: below ${goals.peakMb}: ${peak < goals.peakMb ? 'met' : 'not met'})`,
    `- longest stall of an event loop: **${short(stall)} ms** (goal: at most ${goals.stallMs}: ${stall <= goals.stallMs ? 'met' : 'not met'}), ${short(own)} ms of it processor time of its own at most`,
    wrong === 0
      ? '- every row came back as it was sent, with the right answer behind it'
      : `- **${wrong} rows came back otherwise than they were sent**`,
  ];
}

function rowsOf({ name, rows, uploadedBytes, phases }: ListFigures): string[][] {
  return phases.flatMap(({ phase, ms, processes, idleStallMs }) =>
    processes.map(({ role, peakMb, stallMs, stallCpuMs }) => [
      name,
      rows.toLocaleString('en-US'),
      short(uploadedBytes / 1e6),
      phase,
      short(ms / 1_000),
      short((1_000 * rows) / ms),
      role,
      short(peakMb),
      short(stallMs),
      short(stallCpuMs),
      short(idleStallMs),
    ]),
  );
}

type ListSizes = { csvRows: number; workbookRows: number; population: Population };

type DatabaseFigures = {
  database: 'SQLite' | 'PostgreSQL';
  /** Of the server; none on SQLite. */
  version: string | undefined;
  machine: Machine;
  sizes: ListSizes;
  lists: ListFigures[];
};

type MeasureParts = { sizes: ListSizes; tell: (message: string) => void };

const credits = 10_000_000;

/**
 * A list of a million rows in the sandbox, a workbook, and a list in a world, on one database. SQLite is used by one
 * process, PostgreSQL by an API and a worker.
 *
 * On SQLite where no PostgreSQL is given.
 */
async function measureLists(
  postgres: BenchPostgres | undefined,
  { sizes, tell }: MeasureParts,
): Promise<Omit<DatabaseFigures, 'machine'>> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const internet = startChild(worldModule);
  const idle = startChild(idleModule);
  const database = await postgres?.createDatabase('lists');
  try {
    const { environment } = await internet.ask({ kind: 'populate', population: sizes.population });
    const dataDir = join(folder, 'data');
    const env = {
      ...environment,
      MAILPROOF_PORT: '0',
      MAILPROOF_DATA_DIR: dataDir,
      MAILPROOF_SANDBOX_DELAYS: 'off',
      MAILPROOF_SANDBOX_ADDRESSES_PER_HOUR: '10000000',
      ...(database === undefined ? {} : { MAILPROOF_DATABASE_URL: database.url }),
    };
    const keys = await openAccount({ dataDir, databaseUrl: database?.url });
    const roles = database === undefined ? (['all'] as const) : (['api', 'worker'] as const);
    const service = await startWatchedService(roles, { env, folder });
    const bystander: CheckListParts['bystander'] = {
      begin: async () => {
        await idle.ask({ kind: 'begin' });
      },
      end: async () => (await idle.ask({ kind: 'end' }))?.loopDelayMaxMs ?? NaN,
    };
    const name = database === undefined ? 'SQLite' : 'PostgreSQL';
    const parts = { service, bystander, tell: (message: string) => tell(`${name}, ${message}`) };
    try {
      const lists = await checkLists(sizes, { keys, parts });
      return { database: name, version: postgres?.version, sizes, lists };
    } finally {
      await service.stop();
    }
  } finally {
    await Promise.all([internet.stop(), idle.stop(), database?.close()]);
    rmSync(folder, { recursive: true });
  }
}

type Keys = { live: string; test: string };

async function checkLists(
  { csvRows, workbookRows, population }: ListSizes,
  { keys, parts }: { keys: Keys; parts: CheckListParts },
): Promise<ListFigures[]> {
  const csv = {
    name: 'CSV, sandbox',
    content: sandboxList(csvRows),
    format: 'csv',
    apiKey: keys.test,
  } as const;
  const xlsx = {
    name: '.xlsx, sandbox',
    content: sandboxList(workbookRows),
    format: 'xlsx',
    apiKey: keys.test,
  } as const;
  const world = {
    name: 'CSV, world',
    content: worldList(population),
    format: 'csv',
    apiKey: keys.live,
  } as const;
  const lists: ListFigures[] = [];
  for (const order of [csv, xlsx, world]) lists.push(await checkList(order, parts));
  return lists;
}

async function openAccount(place: { dataDir: string; databaseUrl: string | undefined }): Promise<Keys> {
  const { dataDir, databaseUrl } = place;
  const store = await openStore({
    dataDir,
    check: true,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  const parts = { store, wallClock: Date, actor: 'command_line' as const };
  try {
    const made = await createAccountWithKeys({ name: 'bench', plan: 'paid', credits }, parts);
    return { live: made.liveKey.apiKey, test: made.testKey.apiKey };
  } finally {
    await store.close();
  }
}
