/** A store with past tasks and as many that wait, made in the database itself. */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { claimTask, releaseTask, type Claim } from '../../../service/src/core/verify/tasks/claim-task.ts';
import { openStore, storeFile, type OpenStoreOptions, type Store } from '../../../service/src/index.ts';
import { pastSql, waitingSql, type Past } from '../../../service/test/support/load-past.ts';
import type { BenchPostgres } from '../processes/servers.ts';
import { spreadOf, type Spread } from '../results.ts';

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

/** Waits until all loaded rows are on the disk. Otherwise the first sync of the measurement would wait for them. */
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

export type ClaimFigures = {
  /** The first on a store that was just opened: its connection has no page in memory and no statement prepared. */
  firstClaimMs: number;
  claimMs: Spread;
};

/** Less than an account may have, so that none is refused. */
const mostUnderWay = 8;
const turns = 10;

/**
 * Measures claims in stores of different size, in turn, because most of the time is the disk's, whose speed changes.
 *
 * In the order of the stores.
 */
export async function measureClaims(stores: readonly GrownStore[]): Promise<ClaimFigures[]> {
  // The first run of the code would otherwise count for the first store.
  await claimInTurn(stores, { turns: 1, claimsInTurn: 1 });
  // Each task is claimed once, and one is gone already.
  const mostClaims = Math.min(...stores.map(({ past }) => past.tasks - 1));
  return await claimInTurn(stores, { turns, claimsInTurn: Math.min(20, Math.floor(mostClaims / turns)) });
}

async function claimInTurn(
  stores: readonly GrownStore[],
  order: { turns: number; claimsInTurn: number },
): Promise<ClaimFigures[]> {
  const claimers = [];
  try {
    for (const { settings } of stores)
      claimers.push(createClaimer(await openStore({ ...settings, check: false })));
    for (let turn = 0; turn < order.turns; turn += 1)
      for (const { claim } of claimers) for (let n = 0; n < order.claimsInTurn; n += 1) await claim();
    return claimers.map(({ took: [firstClaimMs = NaN, ...others] }) => ({
      firstClaimMs,
      claimMs: spreadOf(others),
    }));
  } finally {
    for (const { store } of claimers) await store.close();
  }
}

/** Some are under way at any time; each is then put back for later, and the next claim takes another. */
function createClaimer(store: Store) {
  const took: number[] = [];
  const held: Claim[] = [];
  async function claim(): Promise<void> {
    const now = Date.now();
    const beganAt = performance.now();
    const claimed = await store.write((tx) => claimTask(tx, { processId: 'bench', mode: 'live', now }));
    took.push(performance.now() - beganAt);
    if (claimed === undefined) throw new Error('there is nothing to claim');
    held.push(claimed);
    const longest = held.length < mostUnderWay ? undefined : held.shift();
    if (longest !== undefined) await store.write((tx) => releaseTask(tx, longest, now + hourMs));
  }
  return { store, took, claim };
}
