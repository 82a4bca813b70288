/** The surroundings of a service under test: a small mail internet, and PostgreSQL if that is its database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldDescription } from '@mailproof/world';
import type { Settings } from '../../../service/test/support/mailproof.ts';
import { startChild } from '../processes/child.ts';
import {
  startBenchPostgres,
  runMailproof,
  startMailproof,
  type BenchPostgres,
} from '../processes/servers.ts';
import { worldModule } from '../processes/world-process.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export type Surroundings = {
  /** The settings with which a service meets this internet. */
  environment: Settings;
  postgres: BenchPostgres | undefined;
  stop(): Promise<void>;
};

export const places = {
  /** On the operator's list: a verdict needs DNS, which is cached, and no mail host. */
  disposable: 'throwaway.test',
  /** A host that says "later" to everybody: tasks with its addresses stay running. */
  greylisting: 'greylist.test',
  /** A host that never answers RCPT: those who wait for it cost no time of ours. */
  silent: 'silent.test',
} as const;

/** Domains with mailboxes, `alive00000@d000.test` to `alive00999@d999.test`, and the hosts they are dealt out to. */
const domains = 1_000;
const mailboxesADomain = 1_000;
const hosts = 250;

const dayS = 86_400;

const rules: WorldDescription = {
  zones: {
    [places.disposable]: { mx: [[10, 'mx.throwaway.test']], ttl: dayS },
    'mx.throwaway.test': { ttl: dayS, soaMinimum: dayS },
    [places.greylisting]: { mx: [[10, 'mx.greylist.test']] },
    [places.silent]: { mx: [[10, 'mx.silent.test']] },
  },
  hosts: {
    'mx.throwaway.test': {},
    'mx.greylist.test': { temper: { greylist: { waitMs: 10 * dayS * 1_000, defers: 'everybody' } } },
    'mx.silent.test': { temper: { fault: { phase: 'rcpt', fault: 'silence' } } },
  },
};

function world(): WorldDescription {
  const mailboxes = Object.fromEntries(
    Array.from({ length: mailboxesADomain }, (_, n) => [`alive${digits(n, 5)}`, 'exists' as const]),
  );
  const description: WorldDescription = { zones: { ...rules.zones }, hosts: { ...rules.hosts } };
  for (let host = 0; host < hosts; host += 1) description.hosts[`mx${host}.test`] = { mailboxes };
  for (let domain = 0; domain < domains; domain += 1) {
    const mx: [number, string][] = [[10, `mx${domain % hosts}.test`]];
    description.zones[`d${digits(domain, 3)}.test`] = { mx, ttl: dayS };
  }
  return description;
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, '0');
}

export async function openSurroundings(database: DatabaseKind): Promise<Surroundings> {
  const internet = startChild(worldModule);
  const postgres = database === 'postgres' ? await startBenchPostgres() : undefined;
  const { environment } = await internet.ask({ kind: 'start', description: world(), options: {} });
  return {
    environment,
    postgres,
    async stop() {
      await postgres?.stop();
      await internet.stop();
    },
  };
}

/** The service as its user starts it (`./mailproof serve`), with an account that has credits enough. */
export type ServiceUnderTest = {
  port: number;
  pid: number;
  key: string;
  /** CPU time of the database where that is a server of its own. */
  databaseCpuMs: () => number;
  stop(): Promise<void>;
};

const credits = 1_000_000_000;

type StartOptions = {
  surroundings: Surroundings;
  /** Whether mail hosts are spared, as they are by default. */
  pacing: 'on' | 'off';
  /** The checkout whose `./mailproof` is started; this one, if none is named. */
  checkout?: string | undefined;
  profileFolder?: string | undefined;
};

export async function startService(options: StartOptions): Promise<ServiceUnderTest> {
  const { surroundings, checkout, profileFolder } = options;
  const { postgres } = surroundings;
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const settings = { ...settingsIn(folder, options), ...(await databaseSettings(surroundings)) };
  const key = await openAccount(settings, checkout);
  const service = await startMailproof({
    role: 'all',
    env: { ...settings, ...profiling(profileFolder) },
    checkout,
    logFile: join(folder, 'log'),
  });
  return {
    port: service.port,
    pid: service.pid,
    key,
    databaseCpuMs: () => postgres?.cpuMs() ?? 0,
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openAccount(settings: Settings, checkout: string | undefined): Promise<string> {
  const create = ['accounts', 'create', '--name', 'bench', '--credits', `${credits}`];
  const made = await runMailproof(create, settings, checkout);
  const { api_key: key } = await runMailproof(
    ['keys', 'create', String(made['account_id'])],
    settings,
    checkout,
  );
  return String(key);
}

async function databaseSettings({ postgres }: Surroundings): Promise<Settings> {
  if (postgres === undefined) return {};
  const database = await postgres.createDatabase(`api_${process.hrtime.bigint()}`);
  await database.close();
  return { MAILPROOF_DATABASE_URL: database.url };
}

function settingsIn(folder: string, { surroundings, pacing }: StartOptions): Settings {
  const listed = join(folder, 'disposable.txt');
  writeFileSync(listed, `${places.disposable}\n`);
  return {
    ...surroundings.environment,
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: join(folder, 'data'),
    MAILPROOF_DISPOSABLE_FILE: listed,
    MAILPROOF_PACING: pacing,
    // No limit over all hosts, and each request is a probe, so that the service is measured.
    MAILPROOF_IP_PROFILE: 'private',
    MAILPROOF_REUSE_MS: '0',
    // Deferred addresses stay deferred for the length of the run.
    MAILPROOF_DEFER_RETRY_MS: '900000',
  };
}

function profiling(folder: string | undefined): Settings {
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
}
