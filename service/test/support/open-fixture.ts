/**
 * An environment for the service: a mail internet on loopback, an empty database, and the settings for both. The
 * service runs in separate processes, or in this one; everything that was started ends with the fixture.
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
  /** The settings of all its processes. */
  env: Settings;
  /** Starts `./mailproof serve`; the fixture kills it at the end if it is still running. */
  serve: (options?: ServeOptions) => Promise<Serving>;
  /** Starts the service in this process. The caller has to stop it. */
  startHere: (parts?: Partial<StartParts>) => Promise<Service>;
  /** Runs a command of the command line, with `--json`; it must succeed. */
  command: (...args: string[]) => Promise<Row>;
  openAccount: (request?: {
    name?: string;
    plan?: 'paid' | 'none';
    credits?: number;
  }) => Promise<OpenedAccount>;
  /** Queries the database directly; parameters are `$1`, `$2`, … in both databases. */
  query: (sql: string, values?: unknown[]) => Promise<Row[]>;
  /** Returns the current figures of an account in the database. */
  balance: (accountId: string) => Promise<Balance>;
  close: () => Promise<void>;
};

export type OpenedAccount = { accountId: string; liveKey: string; testKey: string };

export type Balance = { granted: number; available: number; reserved: number; spent: number };

export type FixtureOptions = {
  world: WorldDescription;
  /** The resolver denies existing names. */
  denyAllNames?: boolean;
  /** Override the fixture's own settings. */
  settings?: Settings;
  /** The kind of database; each fixture has its own. */
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
    // Tests count the questions to mail hosts, and ask for the same mailbox more than once.
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

/** Queries the database of the settings. */
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
  // A test may end this connection with all others: then the query fails, and that is enough.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
