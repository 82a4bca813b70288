import { existsSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { storeFile } from '../../core/store/sqlite/open-sqlite-store.ts';
import { writeBackupFile, type BackupManifest } from './backup-file.ts';
import { queryPostgres, runProgram } from './postgres-programs.ts';

/** Which database: PostgreSQL by its URL, or SQLite in a data directory. */
export type BackupPlace = { databaseUrl: string | undefined; dataDir: string };

const busyTimeoutMs = 5_000;

type BackUpAnswer =
  /** `unnoted` says why the database does not know of it: then the age of the last backup is told too high. */
  | { kind: 'backed_up'; manifest: BackupManifest; fileBytes: number; unnoted: string | undefined }
  /** An older backup is never overwritten. */
  | { kind: 'file_exists' }
  | { kind: 'no_database'; where: string }
  | { kind: 'failed'; line: string };

/**
 * Writes a consistent copy of the database into a file while services go on working. What was acknowledged before it
 * began is in it; what comes later may or may not be.
 */
export async function backUp(file: string, place: BackupPlace): Promise<BackUpAnswer> {
  if (existsSync(file)) return { kind: 'file_exists' };
  const content = `${file}.database`;
  try {
    // Whoever writes to it finds it there, for this user alone; one that a crash left behind is of no use.
    await rm(content, { force: true });
    await writeFile(content, '', { mode: 0o600, flag: 'wx' });
    const copied = await copyTo(content, place);
    if (copied.kind !== 'copied') return copied;
    const manifest = await writeBackupFile(file, content, copied.source);
    const unnoted = await tryToNote(manifest, place);
    return { kind: 'backed_up', manifest, fileBytes: (await stat(file)).size, unnoted };
  } finally {
    await rm(content, { force: true });
  }
}

/** Why it could not be noted, say because the user of the database may only read. The backup is good all the same. */
async function tryToNote({ takenAt }: BackupManifest, place: BackupPlace): Promise<string | undefined> {
  try {
    await noteBackup(Date.parse(takenAt), place);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Notes in the audit log of the database that it was backed up, so that every process can tell how old the last backup
 * is. The table is as old as the audit log, so this needs no schema of this version.
 */
export async function noteBackup(takenAt: number, { databaseUrl, dataDir }: BackupPlace): Promise<void> {
  const sql = `insert into audit_log (at, actor, action, subject, detail)
    values (${Math.trunc(takenAt)}, 'command_line', 'backed_up', 'database', '{}')`;
  if (databaseUrl !== undefined) {
    await queryPostgres(databaseUrl, sql);
    return;
  }
  const database = new DatabaseSync(storeFile(dataDir), { timeout: busyTimeoutMs });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

type Copied =
  | { kind: 'copied'; source: Pick<BackupManifest, 'database' | 'schema' | 'takenAt'> }
  | (BackUpAnswer & { kind: 'no_database' | 'failed' });

function copyTo(content: string, { databaseUrl, dataDir }: BackupPlace): Promise<Copied> {
  return databaseUrl === undefined ? copySqlite(content, dataDir) : copyPostgres(content, databaseUrl);
}

/** In one step: a copy in several begins anew whenever another process writes, and under load would never end. */
const allPages = 2 ** 31 - 1;

async function copySqlite(content: string, dataDir: string): Promise<Copied> {
  const where = storeFile(dataDir);
  if (!existsSync(where)) return { kind: 'no_database', where };
  const source = new DatabaseSync(where, { timeout: busyTimeoutMs });
  try {
    const schema = Number(source.prepare('select version from schema_version').get()?.['version']);
    const takenAt = new Date().toISOString();
    await backup(source, content, { rate: allPages });
    return { kind: 'copied', source: { database: 'sqlite', schema, takenAt } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'failed', line: `${where} could not be copied: ${error.message}` };
  } finally {
    source.close();
  }
}

/** Our own packing serves for both databases, so theirs is switched off. */
async function copyPostgres(content: string, databaseUrl: string): Promise<Copied> {
  const [row] = await queryPostgres(databaseUrl, 'select version from schema_version');
  const takenAt = new Date().toISOString();
  const args = ['--format=custom', '--compress=0', '--no-owner', '--no-privileges', `--file=${content}`];
  const dumped = await runProgram('pg_dump', args, databaseUrl);
  if (dumped.kind === 'failed') return dumped;
  const schema = Number(row?.['version']);
  return { kind: 'copied', source: { database: 'postgres', schema, takenAt } };
}
