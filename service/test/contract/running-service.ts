/** The service as its user starts it, in a world on loopback: `./mailproof serve` and the commands beside it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase } from '../support/postgres/test-postgres.ts';
import { standardWorld, startWorld, type World, type WorldDescription } from '@mailproof/world';
import { createCheckedClient, type CheckedClient } from './client.ts';
import { runCommand, startMailproof, type Row, type Running, type Settings } from './run-mailproof.ts';

export type Account = { accountId: string; key: string };
export type Balance = { granted: number; available: number; reserved: number; spent: number };

export type RunningService = {
  url: string;
  world: World;
  dataDir: string;
  /** What the first start made and printed. */
  first: Account & { testKey: string };
  client: CheckedClient;
  process: Running;
  command(...args: string[]): Promise<Row>;
  openAccount(options?: { plan?: 'paid' | 'none'; credits?: number }): Promise<Account>;
  /** The balance of an account, whose parts must make up the whole at any moment. */
  balance(account: Account): Promise<Balance>;
  /** Ends it as an operator would and starts it again on the same data. */
  restart(): Promise<void>;
  /** After it has ended. */
  startAgain(): Promise<void>;
  /** Ends it and its world and removes its data. */
  stop(): Promise<void>;
};

/** on-postgresql.test.ts runs the same tests over PostgreSQL, each service on a database of its own. */
async function databaseSettings(): Promise<Settings> {
  if (process.env['MAILPROOF_TEST_SERVICE_ON'] !== 'PostgreSQL') return {};
  return { MAILPROOF_DATABASE_URL: (await createPostgresDatabase('empty')).url };
}

type Circumstances = { settings?: Settings; places?: WorldDescription; denyAllNames?: boolean };

export async function startServiceInWorld({
  settings = {},
  places,
  denyAllNames = false,
}: Circumstances = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-contract-'));
  const { zones, hosts } = standardWorld();
  const world = await startWorld(
    { zones: { ...zones, ...places?.zones }, hosts: { ...hosts, ...places?.hosts } },
    { denyAllNames },
  );
  const env = {
    ...world.environment,
    MAILPROOF_DATA_DIR: dataDir,
    MAILPROOF_PORT: '0',
    MAILPROOF_PACING: 'off',
    MAILPROOF_DEFER_RETRY_MS: '1000',
    MAILPROOF_SANDBOX_DELAYS: 'off',
    ...(await databaseSettings()),
    ...settings,
  };
  async function dismantle(): Promise<void> {
    await world.stop();
    rmSync(dataDir, { recursive: true });
  }
  try {
    return await serve({ env, world, dataDir, dismantle });
  } catch (error) {
    await dismantle();
    throw error;
  }
}

type Stage = { env: Settings; world: World; dataDir: string; dismantle: () => Promise<void> };

async function serve({ env, world, dataDir, dismantle }: Stage): Promise<RunningService> {
  const command = (...args: string[]) => runCommand(args, env);
  const process = startMailproof(['serve'], env);
  const url = await listening(process);
  const service: RunningService = {
    url,
    world,
    dataDir,
    first: firstAccount(process.said.stdout),
    client: await createCheckedClient(url),
    process,
    command,
    async openAccount({ plan = 'paid', credits = 0 } = {}) {
      const given = ['--name', 'contract', '--plan', plan, '--credits', String(credits)];
      const accountId = String((await command('accounts', 'create', ...given))['account_id']);
      const key = String((await command('keys', 'create', accountId))['api_key']);
      return { accountId, key };
    },
    balance: async ({ accountId }) => balanceOf(await command('credits', 'show', accountId)),
    async restart() {
      await endByRequest(service.process);
      await service.startAgain();
    },
    async startAgain() {
      service.process = startMailproof(['serve'], env);
      service.url = await listening(service.process);
      service.client = await createCheckedClient(service.url);
    },
    async stop() {
      await endByRequest(service.process);
      await dismantle();
    },
  };
  return service;
}

async function listening(process: Running): Promise<string> {
  const [, url = ''] = await process.until(/"url":"([^"]+)","msg":"listening"/);
  return url;
}

/** SIGTERM, and nothing is left undone: it ends with 0. */
async function endByRequest({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(`the service ended with ${String(code)}: ${stderr}`);
}

function firstAccount(printed: string): RunningService['first'] {
  const find = (pattern: RegExp) => pattern.exec(printed)?.[0] ?? '';
  return { accountId: find(/acct_\w+/), key: find(/mp_live_\w+/), testKey: find(/mp_test_\w+/) };
}

function balanceOf(row: Row): Balance {
  const [granted, available, reserved, spent] = ['granted', 'available', 'reserved', 'spent'].map((name) =>
    Number(row[name]),
  ) as [number, number, number, number];
  if (available + reserved + spent !== granted) throw new Error(`unbalanced: ${JSON.stringify(row)}`);
  return { granted, available, reserved, spent };
}
