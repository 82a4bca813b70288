/** The service as its user starts it (`./mailproof serve`), in a small world, with an account that has credits enough. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorldDescription } from '@mailproof/world';
import { startBenchPostgres, type BenchPostgres } from '../processes/bench-postgres.ts';
import { startChild } from '../processes/child.ts';
import { runCommand, type Settings } from '../../../service/test/support/mailproof.ts';
import { startMailproof } from '../processes/start-mailproof.ts';
import { worldModule } from '../processes/world-module.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export type ServiceUnderTest = {
  port: number;
  pid: number;
  key: string;
  /** CPU time of the database where that is a server of its own. */
  databaseCpuMs: () => number;
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

const dayS = 86_400;

const world: WorldDescription = {
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

const credits = 1_000_000_000;

type StartOptions = { database: DatabaseKind; profileFolder: string | undefined };

export async function startService({ database, profileFolder }: StartOptions): Promise<ServiceUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const internet = startChild(worldModule);
  const postgres = database === 'postgres' ? await startBenchPostgres() : undefined;
  const { environment } = await internet.ask({ kind: 'start', description: world, options: {} });
  const settings = { ...settingsIn(folder, environment), ...(await databaseSettings(postgres)) };
  const key = await openAccount(settings);
  const service = await startMailproof({
    role: 'all',
    env: { ...settings, ...profiling(profileFolder) },
    logFile: join(folder, 'log'),
  });
  return {
    port: service.port,
    pid: service.pid,
    key,
    databaseCpuMs: () => postgres?.cpuMs() ?? 0,
    async stop() {
      await service.stop();
      await postgres?.stop();
      await internet.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openAccount(settings: Settings): Promise<string> {
  const made = await runCommand(
    ['accounts', 'create', '--name', 'bench', '--credits', `${credits}`],
    settings,
  );
  const { api_key: key } = await runCommand(['keys', 'create', String(made['account_id'])], settings);
  return String(key);
}

async function databaseSettings(postgres: BenchPostgres | undefined): Promise<Settings> {
  if (postgres === undefined) return {};
  const database = await postgres.createDatabase('api');
  await database.close();
  return { MAILPROOF_DATABASE_URL: database.url };
}

function settingsIn(folder: string, environment: Settings): Settings {
  const listed = join(folder, 'disposable.txt');
  writeFileSync(listed, `${places.disposable}\n`);
  return {
    ...environment,
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: join(folder, 'data'),
    MAILPROOF_DISPOSABLE_FILE: listed,
    // What is deferred stays so for the length of the run.
    MAILPROOF_DEFER_RETRY_MS: '900000',
  };
}

function profiling(folder: string | undefined): Settings {
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
}
