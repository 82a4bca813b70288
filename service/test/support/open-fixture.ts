/**
 * A place to run the service in: a mail internet on loopback, a database with nothing in it, and the settings that lead there.
 * The service runs in processes of its own, or in this very one; whatever was started ends with the fixture.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import { startWorld, type World, type WorldDescription } from '@mailproof/world';
import { createAccountWithKeys } from '../../src/core/keys/accounts/create-account-with-keys.ts';
import { readConfig, type Config } from '../../src/start/config.ts';
import { startService, type Service, type StartParts } from '../../src/main.ts';
import { openStore } from '../../src/start/open-store.ts';
import {
  runCommand,
  serveMailproof,
  type Row,
  type ServeOptions,
  type Serving,
  type Settings,
} from './mailproof.ts';
import { createPostgresDatabase } from './postgres/test-postgres.ts';

export type Fixture = {
  world: World;
  dataDir: string;
  /** What every process of it is started with. */
  env: Settings;
  /** `./mailproof serve`; killed with the fixture where it still runs. */
  serve: (options?: ServeOptions) => Promise<Serving>;
  /** The service in this process. Whoever starts it stops it. */
  startHere: (parts?: Partial<StartParts>) => Promise<Service>;
  /** A command of the command line, with `--json`; it must succeed. */
  command: (...args: string[]) => Promise<Row>;
  openAccount: (request?: {
    name?: string;
    plan?: 'paid' | 'none';
    credits?: number;
  }) => Promise<OpenedAccount>;
  /** Asks the database past the service; parameters are `$1`, `$2`, … in both databases. */
  query: (sql: string, values?: unknown[]) => Promise<Row[]>;
  /** The figures of an account as they stand in the database at this moment. */
  balance: (accountId: string) => Promise<Balance>;
  close: () => Promise<void>;
};

export type OpenedAccount = { accountId: string; liveKey: string; testKey: string };

export type Balance = { granted: number; available: number; reserved: number; spent: number };

export type FixtureOptions = {
  world: WorldDescription;
  /** A resolver that denies what exists. */
  denyAllNames?: boolean;
  /** Before those of the fixture itself. */
  settings?: Settings;
  /** Where it keeps its data: a database of its own each time. */
  database?: 'SQLite' | 'PostgreSQL';
};

export async function openFixture(options: FixtureOptions): Promise<Fixture> {
  const { world: description, denyAllNames = false, settings = {}, database = 'SQLite' } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-fixture-'));
  const postgres = database === 'SQLite' ? undefined : await createPostgresDatabase('empty');
  const world = await startWorld(description, { denyAllNames });
  const env: Settings = {
    ...world.environment,
    MAILPROOF_DATA_DIR: dataDir,
    MAILPROOF_PORT: '0',
    MAILPROOF_SANDBOX_DELAYS: 'off',
    // Tests count what mail hosts are asked, and ask for the same mailbox more than once.
    MAILPROOF_REUSE_MS: '0',
    ...(postgres === undefined ? {} : { MAILPROOF_DATABASE_URL: postgres.url }),
    ...settings,
  };
  const served: Serving[] = [];
  return {
    world,
    dataDir,
    env,
    serve: async (how = {}) => {
      const serving = await serveMailproof({ ...how, env: { ...env, ...how.env } });
      served.push(serving);
      return serving;
    },
    startHere: (parts = {}) =>
      startService(configOf({ MAILPROOF_LOG_LEVEL: 'warn', ...env }), { print: () => undefined, ...parts }),
    command: (...args) => runCommand(args, env),
    openAccount: (request = {}) => openAccount(configOf(env), request),
    query: (sql, values) => queryDatabase(env, sql, values),
    balance: (accountId) => readBalance(env, accountId),
    close: async () => {
      await Promise.all(served.map((serving) => serving.kill()));
      await world.stop();
      await postgres?.giveBack();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function configOf(env: Settings): Config {
  const read = readConfig(env);
  if (read.kind === 'bad') throw new Error(read.problem);
  return read.config;
}

async function openAccount(
  config: Config,
  { name = 'tester', plan = 'paid', credits = 0 }: Parameters<Fixture['openAccount']>[0] & object,
): Promise<OpenedAccount> {
  const store = await openStore({ ...config, check: false });
  const parts = { store, wallClock: Date, actor: 'command_line' as const };
  try {
    const { account, liveKey, testKey } = await createAccountWithKeys({ name, plan, credits }, parts);
    return { accountId: account.accountId, liveKey: liveKey.apiKey, testKey: testKey.apiKey };
  } finally {
    await store.close();
  }
}

const figures = ['granted', 'available', 'reserved', 'spent'] as const;

async function readBalance(env: Settings, accountId: string): Promise<Balance> {
  const [row] = await queryDatabase(env, `select ${figures.join(', ')} from account where id = $1`, [
    accountId,
  ]);
  const entries = figures.map((name) => {
    const value = Number(row?.[name] ?? Number.NaN);
    if (!Number.isSafeInteger(value)) throw new Error(`no ${name} in the books of ${accountId}`);
    return [name, value];
  });
  return Object.fromEntries(entries) as Balance;
}

/** Asks the database that the settings lead to. */
export function queryDatabase(env: Settings, sql: string, values: unknown[] = []): Promise<Row[]> {
  const url = env['MAILPROOF_DATABASE_URL'];
  return url === undefined ? Promise.resolve(queryFile(env, sql, values)) : queryServer(url, sql, values);
}

function queryFile(env: Settings, sql: string, values: unknown[]): Row[] {
  const file = join(env['MAILPROOF_DATA_DIR'] ?? '', 'mailproof.db');
  const database = new DatabaseSync(file, { readOnly: true, timeout: 60_000 });
  try {
    const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value as SQLInputValue]));
    return database.prepare(sql).all(named);
  } finally {
    database.close();
  }
}

async function queryServer(url: string, sql: string, values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A test may end this connection with all others: the query fails then, and that is enough.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
