import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { openPostgresStore } from '../../core/store/postgres/open-postgres-store.ts';
import { openSqliteStore, storeFile } from '../../core/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../core/store/store.ts';
import type { Audit, AuditReport } from '../../core/upkeep/audit.ts';
import type { BackupPlace } from './back-up.ts';
import { unpackBackup, type BackupManifest, type UnpackAnswer } from './backup-file.ts';
import { queryPostgres, runProgram } from './postgres-programs.ts';
import { withScratchDatabase } from './scratch-database.ts';

type BadFile = Exclude<UnpackAnswer, { kind: 'unpacked' }>;

type RestoreAnswer =
  | { kind: 'restored'; manifest: BackupManifest; report: AuditReport }
  | BadFile
  /** There is a database already; nothing of it is touched. */
  | { kind: 'not_empty'; where: string }
  /** A backup of one kind of database is not restored into the other; that is what `copy` is for. */
  | { kind: 'other_database'; manifest: BackupManifest }
  | { kind: 'failed'; line: string };

/** Puts a backup in place where there is no database yet, and audits its books. */
export function restoreBackup(
  file: string,
  { databaseUrl, dataDir, audit }: BackupPlace & { audit: Audit },
): Promise<RestoreAnswer> {
  return databaseUrl === undefined
    ? restoreSqlite(file, { dataDir, audit })
    : restorePostgres(file, { databaseUrl, audit });
}

/** It is unpacked, checked and audited aside, and takes its name last: what was broken off left nothing behind. */
type SqlitePlace = { dataDir: string; audit: Audit };
type PostgresPlace = { databaseUrl: string; audit: Audit };

async function restoreSqlite(file: string, { dataDir, audit }: SqlitePlace): Promise<RestoreAnswer> {
  const target = storeFile(dataDir);
  if (existsSync(target)) return { kind: 'not_empty', where: target };
  await mkdir(resolve(dataDir), { recursive: true, mode: 0o700 });
  return withFolder(join(resolve(dataDir), 'restoring-'), async (folder) => {
    const answer = await unpackBackup(file, storeFile(folder));
    if (answer.kind !== 'unpacked') return answer;
    const { manifest } = answer;
    if (manifest.database !== 'sqlite') return { kind: 'other_database', manifest };
    const report = await auditAndClose(await openSqliteStore({ dataDir: folder, check: true }), audit);
    if (existsSync(target)) return { kind: 'not_empty', where: target };
    await rename(storeFile(folder), target);
    return { kind: 'restored', manifest, report };
  });
}

const countTables = `select count(*)::int as tables from information_schema.tables where table_schema = current_schema()`;

async function restorePostgres(file: string, place: PostgresPlace): Promise<RestoreAnswer> {
  const [row] = await queryPostgres(place.databaseUrl, countTables);
  if (row?.['tables'] !== 0) return { kind: 'not_empty', where: 'the database' };
  return withFolder(`${resolve(file)}.restoring-`, async (folder) => {
    const dump = join(folder, 'dump');
    const answer = await unpackBackup(file, dump);
    if (answer.kind !== 'unpacked') return answer;
    const { manifest } = answer;
    if (manifest.database !== 'postgres') return { kind: 'other_database', manifest };
    const loaded = await loadDump(dump, place);
    return loaded.kind === 'failed' ? loaded : { kind: 'restored', manifest, report: loaded.report };
  });
}

type LoadAnswer = { kind: 'audited'; report: AuditReport } | { kind: 'failed'; line: string };

/** One transaction: it is there whole, or not at all. */
async function loadDump(dump: string, { databaseUrl, audit }: PostgresPlace): Promise<LoadAnswer> {
  const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', dump];
  const restored = await runProgram('pg_restore', args, databaseUrl);
  if (restored.kind === 'failed') return restored;
  const report = await auditAndClose(await openPostgresStore({ databaseUrl }), audit);
  return { kind: 'audited', report };
}

type VerifyBackupAnswer =
  | { kind: 'sound'; manifest: BackupManifest; report: AuditReport }
  /** The dump of a PostgreSQL database is whole and can be read, but there is no server to open it on. */
  | { kind: 'not_audited'; manifest: BackupManifest; tables: number; because: string }
  | BadFile
  | { kind: 'failed'; line: string };

/**
 * Unpacks a backup aside, opens it and audits its books: SQLite beside the file, PostgreSQL in a new database on the
 * server that `databaseUrl` leads to, which is gone afterwards.
 */
export function verifyBackupFile(
  file: string,
  { databaseUrl, audit }: Pick<BackupPlace, 'databaseUrl'> & { audit: Audit },
): Promise<VerifyBackupAnswer> {
  if (!existsSync(file)) return Promise.resolve({ kind: 'no_backup' });
  return withFolder(`${resolve(file)}.verifying-`, async (folder) => {
    const content = storeFile(folder);
    const answer = await unpackBackup(file, content);
    if (answer.kind !== 'unpacked') return answer;
    const { manifest } = answer;
    if (manifest.database === 'postgres') return verifyDump(content, manifest, { databaseUrl, audit });
    const report = await auditAndClose(await openSqliteStore({ dataDir: folder, check: true }), audit);
    return { kind: 'sound', manifest, report };
  });
}

async function verifyDump(
  dump: string,
  manifest: BackupManifest,
  { databaseUrl, audit }: { databaseUrl: string | undefined; audit: Audit },
): Promise<VerifyBackupAnswer> {
  const listed = await runProgram('pg_restore', ['--list', dump]);
  if (listed.kind === 'failed') return listed;
  const tables = listed.output.split('\n').filter((line) => line.includes(' TABLE DATA ')).length;
  if (databaseUrl === undefined)
    return { kind: 'not_audited', manifest, tables, because: 'MAILPROOF_DATABASE_URL names no server' };
  const answer = await withScratchDatabase(databaseUrl, (scratchUrl) =>
    loadDump(dump, { databaseUrl: scratchUrl, audit }),
  );
  if (answer.kind === 'refused') return { kind: 'not_audited', manifest, tables, because: answer.line };
  const loaded = answer.value;
  return loaded.kind === 'failed' ? loaded : { kind: 'sound', manifest, report: loaded.report };
}

async function auditAndClose(store: Store, audit: Audit): Promise<AuditReport> {
  try {
    return await audit({ store });
  } finally {
    await store.close();
  }
}

/** A folder for this user alone, beside what it is for: it holds addresses, and is gone afterwards. */
async function withFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(dirname(prefix), { recursive: true });
  const folder = await mkdtemp(prefix);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
