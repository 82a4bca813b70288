import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  audit,
  createAccountWithKeys,
  openStore,
  showCredits,
  StoreOpenError,
  StoreUnavailableError,
  type Balance,
} from '@mailproof/service';
import { freePort, startWorld, type World, type WorldDescription } from '@mailproof/world';
import {
  mountSmallDisk,
  startPrivatePostgres,
  type PrivatePostgres,
  type SmallDisk,
} from '@mailproof/world/database';
import { createSupervisedProcess, type ProcessName, type SupervisedProcess } from './supervised-process.ts';

/**
 * The installations of the drill, thrown away at its end, in a mail internet on loopback. They read no setting of the
 * machine. There are two kinds:
 *
 * - `split`: an API, a worker and two probers as processes of their own, on a PostgreSQL of its own;
 * - `single`: one process that does everything, on SQLite.
 */

export type LogLine = { at: number; from: ProcessName; line: string };

/** The parts of either kind of installation that clients, signs and audit need. */
export type Installation = {
  kind: 'split' | 'single';
  url: string;
  apiKey: string;
  /** The mounted folder of the database, or the reason if this machine does not allow a mount. */
  disk: { kind: 'mounted'; disk: SmallDisk } | { kind: 'refused'; why: string };
  /** Has each line of the log from now on handed over; the answer ends that. */
  listen: (listener: (line: LogLine) => void) => () => void;
  /** Audits the whole database and reads the credits of its one account. */
  readBooks: () => Promise<{ violations: readonly object[]; balance: Balance }>;
  close(): Promise<void>;
};

export type SplitInstallation = Installation & {
  kind: 'split';
  world: World;
  postgres: PrivatePostgres;
  processes: Record<Exclude<ProcessName, 'service'>, SupervisedProcess>;
  /** The prober that owns the egress address, as its log says. */
  owner: () => 'prober-1' | 'prober-2';
};

export type SingleInstallation = Installation & {
  kind: 'single';
  processes: { service: SupervisedProcess };
};

type Order = {
  /** The PATH for programs. */
  path: string;
  signal: AbortSignal;
};

const credits = 1_000_000;
/** Enough for the tables of the drill, and soon full. */
const diskMb = { postgres: 256, sqlite: 64 };

export function openSplitInstallation(order: Order): Promise<SplitInstallation> {
  return openOnDisk(diskMb.postgres, async ({ disk, folder, atEnd }) => {
    const dataFolder = disk.kind === 'mounted' ? { dataFolder: disk.disk.folder } : {};
    const postgres = await startPrivatePostgres({ maxConnections: 100, ...dataFolder });
    atEnd(() => postgres.stop());
    const database = { databaseUrl: postgres.url, dataDir: '' };
    const { create, world, log, ...site } = await openSite({ ...order, folder, atEnd, database });
    const env = { MAILPROOF_DATABASE_URL: postgres.url };
    const createApart = (name: ProcessName, role: 'api' | 'worker' | 'prober') => {
      const dataDir = join(folder, name);
      mkdirSync(dataDir);
      return create({ name, role, env: { ...env, MAILPROOF_DATA_DIR: dataDir } });
    };
    const processes = {
      // The first prober owns the egress address, the second stands by.
      'prober-1': await createApart('prober-1', 'prober'),
      'prober-2': await createApart('prober-2', 'prober'),
      worker: await createApart('worker', 'worker'),
      api: await createApart('api', 'api'),
    };
    for (const one of Object.values(processes)) await one.start();
    return { kind: 'split', ...site, world, postgres, processes, owner: log.owner };
  });
}

export function openSingleInstallation(order: Order): Promise<SingleInstallation> {
  return openOnDisk(diskMb.sqlite, async ({ disk, folder, atEnd }) => {
    const dataDir = join(disk.kind === 'mounted' ? disk.disk.folder : folder, 'data');
    const database = { databaseUrl: undefined, dataDir };
    const { create, url, apiKey, listen, readBooks } = await openSite({ ...order, folder, atEnd, database });
    const service = await create({ name: 'service', role: 'all', env: { MAILPROOF_DATA_DIR: dataDir } });
    await service.start();
    return { kind: 'single', url, apiKey, listen, readBooks, processes: { service } };
  });
}

type Ground = {
  folder: string;
  disk: Installation['disk'];
  /** Has this done when the installation closes, before everything that was asked for earlier. */
  atEnd: (end: () => unknown) => void;
};

/** Builds on a folder and a small disk, which are removed when the installation closes or cannot be built. */
async function openOnDisk<Built extends object>(
  megabytes: number,
  build: (ground: Ground) => Promise<Built>,
): Promise<Built & Pick<Installation, 'disk' | 'close'>> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-drill-'));
  const disk = mountDisk(megabytes);
  const removeFolders = () => {
    if (disk.kind === 'mounted') disk.disk.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  // A second signal ends the process at once, and then there is no time to stop.
  process.once('exit', removeFolders);
  const ends: (() => unknown)[] = [removeFolders, () => void process.off('exit', removeFolders)];
  const close = async () => {
    for (const end of ends.splice(0)) await end();
  };
  try {
    const built = await build({ folder, disk, atEnd: (end) => void ends.unshift(end) });
    return { ...built, disk, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function mountDisk(megabytes: number): Installation['disk'] {
  if (process.getuid?.() !== 0)
    return { kind: 'refused', why: 'only root may mount a small disk: run the drill as root' };
  try {
    return { kind: 'mounted', disk: mountSmallDisk(megabytes) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
    return { kind: 'refused', why: `this machine mounts no small disk: ${why}` };
  }
}

type Database = { databaseUrl: string | undefined; dataDir: string };
type SiteOrder = Order & Omit<Ground, 'disk'> & { database: Database };
type ProcessWish = Pick<Parameters<typeof createSupervisedProcess>[0], 'name' | 'role' | 'env'>;

/** Starts the mail internet and opens the account; `create` makes the processes that serve it. */
async function openSite({ path, signal, folder, atEnd, database }: SiteOrder) {
  const world = await startWorld(drillWorld());
  atEnd(() => world.stop());
  const account = await openAccount(database);
  const port = await freePort();
  const settings = { PATH: path, ...settingsOf(folder, world), MAILPROOF_PORT: `${port}` };
  const log = createLog();
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey: account.apiKey,
    world,
    log,
    listen: log.listen,
    readBooks: () => insist(() => readBooks(database, account.accountId)),
    create: async ({ name, role, env }: ProcessWish): Promise<SupervisedProcess> => {
      const created = createSupervisedProcess({
        name,
        role,
        env: { ...settings, ...env },
        metricsPort: await freePort(),
        signal,
        onLine: (line) => log.tell(name, line),
      });
      atEnd(() => created.kill());
      return created;
    },
  };
}

/** Defaults wherever possible: the drill shows what an operator will see. */
function settingsOf(folder: string, world: World): Record<string, string> {
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(providersFile));
  return {
    ...world.environment,
    MAILPROOF_PACING: 'on',
    MAILPROOF_PROVIDERS_FILE: file,
    MAILPROOF_FIRST_KEYS: 'file',
  };
}

type Log = {
  tell(from: ProcessName, line: string): void;
  listen: Installation['listen'];
  owner: SplitInstallation['owner'];
};

const takesOver = /the owner of the egress address \S+ is gone: this process takes it over/;

function createLog(): Log {
  const listeners = new Set<(line: LogLine) => void>();
  let owner: 'prober-1' | 'prober-2' = 'prober-1';
  return {
    tell(from, line) {
      if ((from === 'prober-1' || from === 'prober-2') && takesOver.test(line)) owner = from;
      for (const listener of listeners) listener({ at: performance.now(), from, line });
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    owner: () => owner,
  };
}

async function openAccount(database: Database): Promise<{ accountId: string; apiKey: string }> {
  const store = await openStore({ ...database, check: false });
  try {
    const account = { name: 'Drill', plan: 'paid', credits } as const;
    const parts = { store, wallClock: Date, actor: 'command_line' as const };
    const opened = await createAccountWithKeys(account, parts);
    return { accountId: opened.account.accountId, apiKey: opened.liveKey.apiKey };
  } finally {
    await store.close();
  }
}

/** A machine that is busy, or a database that is just back, may not answer at first. */
async function insist<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  for (let triesLeft = 20; ; triesLeft -= 1) {
    try {
      return await read();
    } catch (error) {
      const isPassing = error instanceof StoreOpenError || error instanceof StoreUnavailableError;
      if (!isPassing || triesLeft === 0) throw error;
      await sleep(500);
    }
  }
}

async function readBooks(database: Database, accountId: string): ReturnType<Installation['readBooks']> {
  const store = await openStore({ ...database, check: false });
  try {
    const { violations } = await audit({ store });
    const balance = await showCredits(accountId, { store });
    if (balance.kind !== 'credits') throw new Error('the account of the drill is gone');
    return { violations, balance };
  } finally {
    await store.close();
  }
}

/**
 * The mail internet of the drill: a few companies whose mail hosts tell the truth at once. So the right answer for each
 * address is known, and every other answer is a mistake of ours.
 */

export type KnownAddress = { email: string; truth: 'safe' | 'invalid' | 'catch_all' };

/** All mail hosts belong to one group, named after its registered domain. */
const group = 'drill.test';
const companies = ['north', 'south', 'east', 'west'].map((name) => `${name}.${group}`);
const openCompany = `open.${group}`;
/** More than a run asks for. */
const peoplePerCompany = 10_000;

/** Records live for a second, so that a resolver that turns is noticed at once. */
const ttl = 1;
const latencyMs = 10;

function drillWorld(): WorldDescription {
  const people = Object.fromEntries(
    Array.from({ length: peoplePerCompany }, (_, n) => [`person${n}`, 'exists' as const]),
  );
  const all = [...companies, openCompany];
  return {
    zones: Object.fromEntries(all.map((domain) => [domain, { mx: [[10, `mx.${domain}`]], ttl }])),
    hosts: {
      ...Object.fromEntries(companies.map((domain) => [`mx.${domain}`, { mailboxes: people, latencyMs }])),
      [`mx.${openCompany}`]: { temper: { catchAll: true }, latencyMs },
    },
  };
}

/**
 * Lifts the limits per mail host: the drill sends all its addresses to five of them. The ownership of the egress address
 * stays as in production, which `MAILPROOF_PACING=off` would end.
 */
const providersFile = {
  providers: {
    [group]: {
      politeness: {
        conversationsPerAddress: 200,
        conversationsPerNetwork: 1_000,
        conversationsPerGroup: 1_000,
        conversationsPerGroupAtMost: 1_000,
        connectionsPerSecond: 1_000,
        connectionsPerMinute: 60_000,
        manyUnknownPercent: 100,
        mostUnknownPercent: 100,
      },
    },
  },
};

/** The question with this number: living, dead and catch-all mailboxes and dead domains in turn, each address once. */
export function questionOf(number: number): KnownAddress {
  const company = companies[number % companies.length] ?? openCompany;
  const kinds: readonly KnownAddress[] = [
    { email: `person${Math.floor(number / 2) % peoplePerCompany}@${company}`, truth: 'safe' },
    { email: `nobody${number}@${company}`, truth: 'invalid' },
    { email: `anybody${number}@${openCompany}`, truth: 'catch_all' },
    { email: `somebody@gone${number}.${group}`, truth: 'invalid' },
  ];
  // Of fifteen addresses seven live, four are dead, three are at a catch-all domain and one at none.
  const kind = [0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 3][number % 15] ?? 0;
  return kinds[kind] ?? { email: `nobody${number}@${company}`, truth: 'invalid' };
}
