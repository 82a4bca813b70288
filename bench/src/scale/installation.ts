/** A database of its own with accounts that have credits, and tasks of theirs that no worker has begun. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccountWithKeys, openStore } from '../../../service/src/index.ts';
import type { Settings } from '../../../service/test/support/mailproof.ts';
import { startMailproof, ownMark, type BenchDatabase, type BenchPostgres } from '../processes/servers.ts';

export type Installation = {
  database: BenchDatabase;
  counter: WorkCounter;
  /** The work of creating the tasks. */
  creation: Work;
  startWorker(): Promise<{ pid: number; stop(): Promise<void> }>;
  close(): Promise<void>;
};

export type InstallationOrder = {
  name: string;
  /** Settings of the world and of the run. */
  settings: Settings;
  accounts: number;
  addresses: string[];
  perTask: number;
  /** Each worker leaves from an egress address of its own, so that it hands most probes to the others. */
  ownEgress?: boolean;
};

const credits = 10_000_000;
const postsAtOnce = 8;
/** Tasks created now and due only then: they wait until every worker is there. */
const heldBackMs = 3_600_000;

export async function openInstallation(
  postgres: BenchPostgres,
  order: InstallationOrder,
): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const database = await postgres.createDatabase(order.name);
  const env = {
    ...order.settings,
    MAILPROOF_PORT: '0',
    MAILPROOF_DATA_DIR: join(folder, 'data'),
    MAILPROOF_DATABASE_URL: database.url,
  };
  const keys = await openAccounts(database.url, order.accounts);
  const counter = createWorkCounter(database);
  const api = await startMailproof({ role: 'api', env, logFile: join(folder, 'api.log') });
  await counter.restart();
  await postTasks(api.port, { ...order, keys });
  const creation = await counter.read();
  await api.stop();
  await database.ask(`update task set next_at = next_at + ${heldBackMs}`);
  let workers = 0;
  return {
    database,
    counter,
    creation,
    startWorker: () => {
      workers += 1;
      const own = order.ownEgress === true ? ownRoute(folder, workers) : {};
      const logFile = join(folder, `worker${workers}.log`);
      return startMailproof({ role: 'worker', env: { ...env, ...own }, logFile });
    },
    close: async () => {
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A providers file with one route, from an address of loopback that no other worker has. */
function ownRoute(folder: string, worker: number): Settings {
  const file = join(folder, `providers${worker}.json`);
  const route = { id: `worker-${worker}`, kind: 'direct', localAddress: `127.0.3.${worker}` };
  writeFileSync(file, JSON.stringify({ routes: [route] }));
  return { MAILPROOF_PROVIDERS_FILE: file };
}

async function openAccounts(databaseUrl: string, count: number): Promise<string[]> {
  const store = await openStore({ databaseUrl, dataDir: '', check: true });
  const parts = { store, wallClock: Date, actor: 'command_line' as const };
  const keys: string[] = [];
  try {
    for (let number = 1; number <= count; number += 1) {
      const account = { name: `bench ${number}`, plan: 'paid', credits } as const;
      const { liveKey } = await createAccountWithKeys(account, parts);
      keys.push(liveKey.apiKey);
    }
  } finally {
    await store.close();
  }
  return keys;
}

type Posting = Pick<InstallationOrder, 'addresses' | 'perTask'> & { keys: string[] };

/** Over the API, accounts in turn. */
async function postTasks(port: number, { addresses, perTask, keys }: Posting): Promise<void> {
  const tasks = Math.ceil(addresses.length / perTask);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < tasks) {
      const task = next;
      next += 1;
      const emails = addresses.slice(task * perTask, (task + 1) * perTask);
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/bulk-email-verification`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys[task % keys.length]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ emails }),
      });
      if (response.status !== 201)
        throw new Error(`a task was not taken: ${response.status} ${await response.text()}`);
      await response.body?.cancel();
    }
  };
  await Promise.all(Array.from({ length: postsAtOnce }, worker));
}

/** Statements that the database ran and bytes that it wrote, since the last look. */
export type Work = {
  /** Every statement, those of transactions included. */
  statements: number;
  /** Transactions that wrote: each is one wait for the disk at most. */
  commits: number;
  walBytes: number;
  /** Statements by what they do, the most frequent first. */
  byText: { text: string; calls: number; ms: number }[];
};

type WorkCounter = { restart(): Promise<void>; read(): Promise<Work> };

const shownStatements = 12;

function createWorkCounter(database: BenchDatabase): WorkCounter {
  let walBefore = '0/0';
  const walNow = async (): Promise<string> =>
    String((await database.ask('select pg_current_wal_lsn()::text as lsn'))[0]?.['lsn']);

  return {
    async restart() {
      await database.ask('select pg_stat_statements_reset()');
      walBefore = await walNow();
    },
    async read() {
      const [wal] = await database.ask(
        `select pg_wal_lsn_diff(pg_current_wal_lsn(), '${walBefore}')::float8 as bytes`,
      );
      const rows = await database.ask(
        `select query, calls::float8 as calls, total_exec_time as ms from pg_stat_statements
         where dbid = (select oid from pg_database where datname = current_database())
           and query not like '%${ownMark}%' order by calls desc`,
      );
      const byText = rows.map((row) => ({
        text: oneLine(String(row['query'])),
        calls: Number(row['calls']),
        ms: Number(row['ms']),
      }));
      return {
        statements: byText.reduce((total, { calls }) => total + calls, 0),
        commits: byText.find(({ text }) => text === 'commit')?.calls ?? 0,
        walBytes: Number(wal?.['bytes']),
        byText: byText.slice(0, shownStatements),
      };
    },
  };
}

function oneLine(query: string): string {
  const text = query.replaceAll(/\s+/g, ' ').trim();
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Size of a table on the disk, with its indexes and long values. */
export type TableSize = {
  table: string;
  rows: number;
  /** As the run left it, with the rows that were replaced and not yet swept. */
  bytes: number;
  /** Written afresh, without a gap. */
  packedBytes: number;
};

/** The tables that grow with every address. The first two are erased with the task, the books never. */
const tables = ['task', 'item', 'hold', 'entry'] as const;

export async function measureSizes(database: BenchDatabase): Promise<TableSize[]> {
  const sizes: TableSize[] = [];
  for (const table of tables) {
    const before = await sizeOf(database, table);
    await database.ask(`vacuum full ${table}`);
    const after = await sizeOf(database, table);
    sizes.push({ table, rows: before.rows, bytes: before.bytes, packedBytes: after.bytes });
  }
  return sizes;
}

async function sizeOf(database: BenchDatabase, table: string): Promise<{ rows: number; bytes: number }> {
  const [row] = await database.ask(
    `select pg_total_relation_size('${table}')::float8 as bytes, (select count(*) from ${table})::int as rows`,
  );
  return { rows: Number(row?.['rows']), bytes: Number(row?.['bytes']) };
}
