/**
 * `npm run bench -- probers`: the time that a prober elsewhere adds to a single verification, compared with the same
 * service asking by itself. Also the memory of a prober with 500 open conversations.
 */
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccountWithKeys, openStore } from '../../service/src/index.ts';
import {
  runCommand,
  runMailproof,
  startMailproof as startProgram,
  type Settings,
} from '../../service/test/support/mailproof.ts';
import { until } from '../../service/test/support/until.ts';
import { addressOf, type Population } from './engine/population.ts';
import { startChild } from './processes/child.ts';
import { startBenchPostgres, startMailproof, type BenchPostgres } from './processes/servers.ts';
import { worldModule } from './processes/world-process.ts';
import {
  describeMachine,
  machineLines,
  publish,
  readWish,
  tell,
  short,
  table,
  median,
  quantile,
} from './results.ts';

const options = {
  /** One part alone: hop or memory. */
  only: { type: 'string' },
  singles: { type: 'string' },
} as const;

export async function runProbers(args: string[]): Promise<void> {
  const wish = readWish(args, options);
  const singles = Number(wish.singles ?? (wish.quick ? 30 : 300));
  const machine = describeMachine();
  const figures: Record<string, unknown> = { machine };
  const lines = ['# Probers elsewhere', '', ...machineLines(machine)];
  const postgres = await startBenchPostgres();
  try {
    if (wish.only === undefined || wish.only === 'hop') {
      const hops = [];
      for (const database of ['SQLite', 'PostgreSQL'] as const) {
        tell(`singles on ${database}`);
        hops.push(await measureHop(postgres, { database, singles: singles }));
      }
      figures['hop'] = hops;
      lines.push('', ...describeHop(hops));
    }
    if (wish.only === undefined || wish.only === 'memory') {
      tell('memory');
      const memory = await measureMemory();
      figures['memory'] = memory;
      lines.push('', ...describeMemory(memory));
    }
  } finally {
    await postgres.stop();
  }
  publish({ name: 'probers', lines, figures }, wish);
}

function describeHop(hops: readonly HopFigures[]): string[] {
  return [
    '## A single verification',
    '',
    'Each address is asked for twice, one at a time: of a service that asks mail hosts by itself, and of one that can',
    'reach none of them and asks through one prober elsewhere. Hosts answer after 20 ms. What is added to the median',
    'should be 50 ms at most.',
    '',
    ...table(
      [
        'database',
        'singles',
        'by itself, median',
        'p90',
        'through a prober, median',
        'p90',
        'added',
        'wrong',
      ],
      hops.map(({ database, singles, itself, through, addedMs, wrong }) => [
        database,
        String(singles),
        `${short(itself.median)} ms`,
        `${short(itself.p90)} ms`,
        `${short(through.median)} ms`,
        `${short(through.p90)} ms`,
        `**${short(addedMs)} ms**`,
        String(wrong),
      ]),
    ),
  ];
}

function describeMemory({ mostOpen, rssBeforeMb, rssMb }: MemoryFigures): string[] {
  return [
    '## Memory of a prober',
    '',
    `With ${mostOpen} conversations open at once, as its mail hosts count them, a prober holds **${short(rssMb)} MB**`,
    `(resident; ${short(rssBeforeMb)} MB before the first). It should be 150 MB at most.`,
  ];
}

type Times = { median: number; p90: number };

type HopFigures = {
  database: 'SQLite' | 'PostgreSQL';
  singles: number;
  /** A service that asks mail hosts by itself. */
  itself: Times;
  /** A service that can reach no mail host, through one prober elsewhere. */
  through: Times;
  addedMs: number;
  wrong: number;
};

const warmUps = 40;
const latencyMs = 20;
/** A guard that lets nothing out to the world: the service itself can reach no mail host. */
const nowhere = { MAILPROOF_EGRESS_ALLOW: '192.0.2.0/24' };

/** The same addresses in turn, one at a time, so that whatever else the machine does slows both. */
async function measureHop(
  postgres: BenchPostgres,
  { database, singles }: Pick<HopFigures, 'database' | 'singles'>,
): Promise<HopFigures> {
  const addresses = singles + warmUps;
  const population: Population = { addresses, domains: addresses, hosts: 50, latencyMs, ownNames: true };
  const internet = startChild(worldModule);
  const opened: { close: () => Promise<void> }[] = [];
  const urlOf = async (name: string) => {
    if (database === 'SQLite') return {};
    const made = await postgres.createDatabase(name);
    opened.push(made);
    return { databaseUrl: made.url };
  };
  try {
    const { environment } = await internet.ask({ kind: 'populate', population });
    const itself = await openCentre({ ...(await urlOf('itself')), settings: environment, roles: ['all'] });
    opened.push(itself);
    const settings = { ...environment, ...nowhere };
    const through = await openCentre({ ...(await urlOf('through')), settings, roles: ['api'] });
    opened.push(through);
    await through.startProber(environment);
    return { database, singles, ...(await compare({ itself, through }, population)) };
  } finally {
    for (const one of opened.reverse()) await one.close();
    await internet.stop();
  }
}

async function compare({ itself, through }: Record<'itself' | 'through', Centre>, population: Population) {
  const times = { itself: [] as number[], through: [] as number[] };
  let wrong = 0;
  for (let index = 0; index < population.addresses; index += 1) {
    const { email, status } = addressOf(index, population);
    const answers = { itself: await itself.verify(email), through: await through.verify(email) };
    for (const name of ['itself', 'through'] as const) {
      if (answers[name].status !== status) wrong += 1;
      if (index >= warmUps) times[name].push(answers[name].ms);
    }
  }
  const timesOf = (ms: number[]): Times => ({ median: median(ms), p90: quantile(ms, 0.9) });
  return {
    itself: timesOf(times.itself),
    through: timesOf(times.through),
    addedMs: median(times.through) - median(times.itself),
    wrong,
  };
}

type MemoryFigures = { conversations: number; mostOpen: number; rssBeforeMb: number; rssMb: number };

const conversations = 500;
const perTask = 100;
/** So long that all are open before the first ends, which takes six round trips. */
const slowLatencyMs = 5_000;
/** From the first to the last of them. */
const watchedMs = 45_000;

/** As many slow mail hosts as a prober may have conversations, each with an address to ask for, all at once. */
async function measureMemory(): Promise<MemoryFigures> {
  const population: Population = {
    addresses: conversations,
    domains: conversations,
    hosts: 50,
    latencyMs: slowLatencyMs,
    temper: { pipelining: false },
    ownNames: true,
  };
  const internet = startChild(worldModule);
  const { environment } = await internet.ask({ kind: 'populate', population });
  const settings = {
    ...environment,
    MAILPROOF_EGRESS_ALLOW: '192.0.2.0/24',
    // One account may have a fifth of them.
    MAILPROOF_VERIFICATIONS_AT_ONCE: '5000',
  };
  const centre = await openCentre({ settings, roles: ['api', 'worker'] });
  try {
    const { pid } = await centre.startProber(environment);
    const rssBeforeMb = rssOf(pid);
    await internet.ask({ kind: 'counts' });
    const emails = Array.from({ length: conversations }, (_, n) => addressOf(n, population).email);
    for (let from = 0; from < conversations; from += perTask)
      await centre.createTask(emails.slice(from, from + perTask));
    let rssMb = rssBeforeMb;
    const until = performance.now() + watchedMs;
    while (performance.now() < until) {
      await sleep(200);
      rssMb = Math.max(rssMb, rssOf(pid));
    }
    const { seen } = await internet.ask({ kind: 'counts' });
    return { conversations, mostOpen: seen.mostOpen, rssBeforeMb, rssMb };
  } finally {
    await centre.close();
    await internet.stop();
  }
}

/** Resident memory of a process, as the system counts it. */
function rssOf(pid: number): number {
  const [, kb = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1_024;
}

/** A service with an account, and probers elsewhere that ask for it, each in a process of its own. */
type Centre = {
  verify(email: string): Promise<{ status: unknown; ms: number }>;
  createTask(emails: readonly string[]): Promise<void>;
  /** Starts one, once mail hosts can be asked through it. */
  startProber(settings: Settings): Promise<{ pid: number }>;
  close(): Promise<void>;
};

type CentreOrder = {
  /** None: SQLite. */
  databaseUrl?: string;
  settings: Settings;
  roles: readonly ('api' | 'worker' | 'all')[];
};

const credits = 1_000_000;

async function openCentre({ databaseUrl, settings, roles }: CentreOrder): Promise<Centre> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const dataDir = join(folder, 'data');
  const env: Settings = {
    ...settings,
    MAILPROOF_PACING: 'off',
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { MAILPROOF_DATABASE_URL: databaseUrl }),
  };
  const apiKey = await openAccount(databaseUrl, dataDir);
  const services: Awaited<ReturnType<typeof startMailproof>>[] = [];
  for (const role of roles)
    services.push(await startMailproof({ role, env, logFile: join(folder, `${role}.log`) }));
  const url = `http://127.0.0.1:${services[0]?.port ?? 0}`;
  const probers: { stop: () => Promise<unknown> }[] = [];

  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.status >= 300) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  return {
    verify: async (email) => {
      const startedAt = performance.now();
      const { status } = await post('/api/v1/email-verification', { email });
      return { status, ms: performance.now() - startedAt };
    },
    createTask: async (emails) => {
      await post('/api/v1/bulk-email-verification', { emails });
    },
    startProber: async (own) => {
      const name = `prober-${probers.length + 1}`;
      const { token } = await runCommand(['probers', 'add', name], env);
      const { child, stop } = startProgram(['prober', '--url', url, '--token', String(token)], {
        through: 'script',
        env: { ...own, MAILPROOF_PACING: 'off', MAILPROOF_DATA_DIR: join(folder, name) },
        logFile: join(folder, `${name}.log`),
      });
      probers.push({ stop });
      await until(
        () => runMailproof(['probers', 'list', '--json'], { env }),
        ({ stdout }) => stdout.includes('"state":"well"'),
      );
      return { pid: child.pid ?? 0 };
    },
    close: async () => {
      for (const prober of probers) await prober.stop();
      for (const service of services.reverse()) await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openAccount(databaseUrl: string | undefined, dataDir: string): Promise<string> {
  const store = await openStore({ databaseUrl, dataDir, check: true });
  try {
    const parts = { store, wallClock: Date, actor: 'command_line' as const };
    const { liveKey } = await createAccountWithKeys({ name: 'bench', plan: 'paid', credits }, parts);
    return liveKey.apiKey;
  } finally {
    await store.close();
  }
}
