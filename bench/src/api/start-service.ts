/** The service as its user starts it (`./mailproof serve`), with an account that has credits enough. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../../service/test/support/mailproof.ts';
import { runMailproof, startMailproof } from '../processes/start-mailproof.ts';
import { places, type Surroundings } from './surroundings.ts';

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
    // What is measured is the service: no limit over all hosts, and each request is a probe.
    MAILPROOF_IP_PROFILE: 'private',
    MAILPROOF_REUSE_MS: '0',
    // What is deferred stays so for the length of the run.
    MAILPROOF_DEFER_RETRY_MS: '900000',
  };
}

function profiling(folder: string | undefined): Settings {
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
}
