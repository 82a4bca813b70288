/** A store with so many past tasks and as many that wait, made in the database itself. */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, storeFile, type OpenStoreOptions } from '../../../service/src/index.ts';
import { pastSql, waitingSql, type Past } from '../../../service/test/support/load-past.ts';
import type { BenchPostgres } from '../processes/bench-postgres.ts';

export type GrownStore = {
  database: 'SQLite' | 'PostgreSQL';
  loadSeconds: number;
  settings: OpenStoreOptions;
  past: Past;
  folder: string;
  /** In the ledger, all of them new to the audit. */
  entries: number;
  bytes: () => Promise<number>;
  /** As if all had been audited, with the service stopped. */
  markAudited: () => Promise<void>;
  /** Past the service. */
  execute: (sql: string) => Promise<void>;
  close: () => Promise<void>;
};

type GrownStoreOrder = { tasks: number; addressesInTask: number };

const hourMs = 3_600_000;

export async function makeGrownStore(
  postgres: BenchPostgres | undefined,
  { tasks, addressesInTask }: GrownStoreOrder,
): Promise<GrownStore> {
  const beganAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bench-'));
  const dataDir = join(folder, 'data');
  const database = await postgres?.createDatabase(`growth_${tasks}`);
  const settings = { dataDir, check: true, databaseUrl: database?.url };
  await (await openStore(settings)).close();
  const now = Date.now();
  const past = {
    accountId: 'acct_0123456789abcdef',
    tasks,
    addressesInTask,
    // The last of them ended an hour ago.
    startedAt: now - hourMs - tasks * 1_000,
    expiresAt: now + 24 * hourMs,
  };
  const execute = async (...statements: string[]) => {
    if (database === undefined) runInSqlite(storeFile(dataDir), statements);
    else for (const sql of ['set statement_timeout = 0', ...statements]) await database.ask(sql);
  };
  await execute(...pastSql(past));
  // A trigger that adds up a million rows of one transaction would take PostgreSQL hours: it passes all versions of the sum.
  const inPostgres = (role: string) =>
    database === undefined ? [] : [`set session_replication_role = ${role}`];
  await execute(...inPostgres('replica'), ...waitingSql(past, tasks), addUpSql, ...inPostgres('origin'));
  if (database === undefined) syncFile(storeFile(dataDir));
  else for (const sql of ['vacuum analyze', 'checkpoint']) await execute(sql);
  return {
    database: database === undefined ? 'SQLite' : 'PostgreSQL',
    loadSeconds: (performance.now() - beganAt) / 1_000,
    settings,
    past,
    folder,
    // Two of each past task, one of each that waits, and two grants.
    entries: 3 * tasks + 2,
    markAudited: () => execute(...markAuditedSql),
    bytes: async () => {
      if (database === undefined) return statSync(storeFile(dataDir)).size;
      const [row] = await database.ask('select pg_database_size(current_database()) as bytes');
      return Number(row?.['bytes']);
    },
    execute,
    close: async () => {
      await database?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const addUpSql = `insert into open_task_credits (account_id, credits)
  select account_id, cast(sum(credits) as bigint) from hold
  where state = 'open' and expires_at is null group by account_id
  on conflict (account_id) do update set credits = excluded.credits`;

const markAuditedSql = [
  'delete from audit_mark',
  `insert into audit_mark (account_id, entries, granted, available, reserved, spent, accepted_gap, balanced_entries,
     balanced_at, audited_at)
   select id, entries, granted, available, reserved, spent, 0, entries, ${Date.now()}, ${Date.now()} from account`,
];

/** What was loaded without waiting for the disk is on it before anything is measured: the first sync waits for all of it. */
function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function runInSqlite(file: string, statements: string[]): void {
  const raw = new DatabaseSync(file);
  try {
    for (const sql of ['pragma synchronous = off', 'pragma cache_size = -262144', ...statements])
      raw.exec(sql);
    raw.exec('pragma wal_checkpoint(truncate)');
  } finally {
    raw.close();
  }
}
