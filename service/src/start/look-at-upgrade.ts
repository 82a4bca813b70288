import { existsSync } from 'node:fs';
import type { Config } from '../core/config/config.ts';
import type { Connection } from '../core/store/connection.ts';
import { postgresDialect, sqliteDialect } from '../core/store/dialect.ts';
import { planUpgrade, type UpgradePlan } from '../core/store/migrations/migrate.ts';
import { explainOpenFailure } from '../core/store/postgres/explain-open-failure.ts';
import { openPostgresConnection } from '../core/store/postgres/postgres-connection.ts';
import { postgresLimits } from '../core/store/postgres/postgres-limits.ts';
import { openSqliteConnection } from '../core/store/sqlite/sqlite-connection.ts';
import { storeFile } from '../core/store/sqlite/open-sqlite-store.ts';
import { StoreOpenError } from '../core/store/store-open-error.ts';

/** What a start of this version would do to the database that the settings name. Only looks. */
export async function lookAtUpgrade({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<UpgradePlan> {
  if (databaseUrl !== undefined) {
    const connect = () => openPostgresConnection({ url: databaseUrl, limits: postgresLimits() });
    try {
      return await withConnection(await connect(), (connection) =>
        planUpgrade(connection, postgresDialect().words),
      );
    } catch (error) {
      throw new StoreOpenError(explainOpenFailure(error, databaseUrl), error);
    }
  }
  const file = storeFile(dataDir);
  if (!existsSync(file)) return await planUpgrade({ execute: noTables }, sqliteDialect().words);
  const connection = openSqliteConnection({ file, busyTimeoutMs: 5_000, cacheMb: 16 });
  return await withConnection(connection, (opened) => planUpgrade(opened, sqliteDialect().words));
}

const noTables: Connection['execute'] = () => Promise.resolve({ rows: [], changes: 0 });

async function withConnection<Result>(
  connection: Connection,
  look: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  try {
    return await look(connection);
  } finally {
    await connection.close();
  }
}
