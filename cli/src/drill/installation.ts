/**
 * The installation of the drill, thrown away at its end: an API, a worker and two probers as processes of their own, on
 * a PostgreSQL of its own, in a mail internet on loopback. It reads no setting of the machine.
 */
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
import { freePort, startWorld, type World } from '@mailproof/world';
import {
  mountSmallDisk,
  startPrivatePostgres,
  type PrivatePostgres,
  type SmallDisk,
} from '@mailproof/world/database';
import { drillWorld, providersFile } from './drill-world.ts';
import { createSupervisedProcess, type ProcessName, type SupervisedProcess } from './supervised-process.ts';

export type LogLine = { at: number; from: ProcessName; line: string };

export type Installation = {
  url: string;
  apiKey: string;
  world: World;
  postgres: PrivatePostgres;
  /** Where the files of the database are, if this machine lets us mount one; why not otherwise. */
  disk: { kind: 'mounted'; disk: SmallDisk } | { kind: 'refused'; why: string };
  processes: Record<ProcessName, SupervisedProcess>;
  /** Has each line of the log from now on handed over; the answer ends that. */
  listen: (listener: (line: LogLine) => void) => () => void;
  /** The prober that owns the egress address, as its log says. */
  owner: () => 'prober-1' | 'prober-2';
  /** What an audit of the whole database finds, and the credits of the one account. */
  readBooks: () => Promise<{ violations: readonly object[]; balance: Balance }>;
  close(): Promise<void>;
};

type Order = {
  /** Where programs are found. */
  path: string;
  signal: AbortSignal;
};

const credits = 1_000_000;
/** Enough for the tables of the drill, and soon full. */
const diskMb = 256;

export async function openInstallation({ path, signal }: Order): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-drill-'));
  const disk = mountDisk();
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
    const dataFolder = disk.kind === 'mounted' ? { dataFolder: disk.disk.folder } : {};
    const postgres = await startPrivatePostgres({ maxConnections: 100, ...dataFolder });
    ends.unshift(() => postgres.stop());
    const world = await startWorld(drillWorld());
    ends.unshift(() => world.stop());
    const account = await openAccount(postgres.url);
    const env = { PATH: path, ...settingsOf({ folder, world, postgres }) };
    const log = createLog();
    const port = await freePort();
    const processes = await createProcesses({ folder, env, port, log, signal });
    ends.unshift(() => Promise.all(Object.values(processes).map((one) => one.kill())));
    // The first prober owns the egress address, the second stands by.
    for (const name of ['prober-1', 'prober-2', 'worker', 'api'] as const) await processes[name].start();
    return {
      url: `http://127.0.0.1:${port}`,
      apiKey: account.apiKey,
      world,
      postgres,
      disk,
      processes,
      listen: log.listen,
      owner: log.owner,
      readBooks: () => insist(() => readBooks(postgres.url, account.accountId)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function mountDisk(): Installation['disk'] {
  if (process.getuid?.() !== 0)
    return { kind: 'refused', why: 'only root may mount a small disk: run the drill as root' };
  try {
    return { kind: 'mounted', disk: mountSmallDisk(diskMb) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
    return { kind: 'refused', why: `this machine mounts no small disk: ${why}` };
  }
}

type Surroundings = { folder: string; world: World; postgres: PrivatePostgres };

/** Defaults wherever possible: the drill shows what an operator will see. */
function settingsOf({ folder, world, postgres }: Surroundings): Record<string, string> {
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(providersFile));
  return {
    ...world.environment,
    MAILPROOF_PACING: 'on',
    MAILPROOF_PROVIDERS_FILE: file,
    MAILPROOF_DATABASE_URL: postgres.url,
    MAILPROOF_FIRST_KEYS: 'file',
  };
}

type ProcessesOrder = Pick<Order, 'signal'> & {
  folder: string;
  env: Record<string, string>;
  port: number;
  log: Log;
};

async function createProcesses({
  folder,
  env,
  port,
  log,
  signal,
}: ProcessesOrder): Promise<Installation['processes']> {
  const create = async (name: ProcessName, role: 'api' | 'worker' | 'prober') => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir);
    return createSupervisedProcess({
      name,
      role,
      env: { ...env, MAILPROOF_DATA_DIR: dataDir, MAILPROOF_PORT: `${port}` },
      metricsPort: await freePort(),
      signal,
      onLine: (line) => log.tell(name, line),
    });
  };
  return {
    api: await create('api', 'api'),
    worker: await create('worker', 'worker'),
    'prober-1': await create('prober-1', 'prober'),
    'prober-2': await create('prober-2', 'prober'),
  };
}

type Log = {
  tell(from: ProcessName, line: string): void;
  listen: Installation['listen'];
  owner: Installation['owner'];
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

async function openAccount(databaseUrl: string): Promise<{ accountId: string; apiKey: string }> {
  const store = await openStore({ databaseUrl, dataDir: '', check: false });
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

async function readBooks(databaseUrl: string, accountId: string): ReturnType<Installation['readBooks']> {
  const store = await openStore({ databaseUrl, dataDir: '', check: false });
  try {
    const { violations } = await audit({ store });
    const balance = await showCredits(accountId, { store });
    if (balance.kind !== 'credits') throw new Error('the account of the drill is gone');
    return { violations, balance };
  } finally {
    await store.close();
  }
}
