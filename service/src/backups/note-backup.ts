import { DatabaseSync } from 'node:sqlite';
import { storeFile } from '../db/sqlite/open-sqlite-store.ts';
import type { BackupPlace } from './back-up.ts';
import { queryPostgres } from './postgres-programs.ts';

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

const busyTimeoutMs = 5_000;
