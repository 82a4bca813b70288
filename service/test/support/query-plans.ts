import { DatabaseSync } from 'node:sqlite';
import type { Connection } from '../../src/core/store/connection.ts';
import { openPostgresConnection } from '../../src/core/store/postgres/postgres-connection.ts';
import { postgresLimits } from '../../src/core/store/postgres/postgres-limits.ts';
import { storeFile } from '../../src/core/store/sqlite/open-sqlite-store.ts';
import type { SqlValue } from '../../src/core/store/statement.ts';
import type { TestDatabase, TestStore } from './databases.ts';

/** A statement that went to the database, and how many rows came back. */
export type SeenStatement = { sql: string; values: SqlValue[]; rows: number };

/** Opens a database and notes the statements that pass, from `forget` on. */
export async function openWatched(database: TestDatabase) {
  let seen: SeenStatement[] = [];
  const wrap = <Line extends Connection>(connection: Line): Line => ({
    ...connection,
    execute: async (sql, values) => {
      const result = await connection.execute(sql, values);
      seen.push({ sql, values, rows: result.rows.length });
      return result;
    },
  });
  const fixture = await database.open({ wrap });
  return {
    ...fixture,
    /** PostgreSQL counts by itself, now and then; SQLite does not, and goes by the shape of its indexes. */
    analyze: () => (database.name === 'PostgreSQL' ? fixture.execute('analyze') : Promise.resolve()),
    forget: () => void (seen = []),
    /** Those that read or change rows. */
    seen: () => seen.filter(({ sql }) => /^(?:select .* from|with|insert|update|delete) /is.test(sql)),
  };
}

/** A machine that runs many tests at once is slow. */
const limits = postgresLimits({ connectMs: 20_000, statementMs: 60_000 });

/** How the database would run a statement, a step a line. What PostgreSQL says depends on what `analyze` found. */
export async function planOf(
  { settings }: Pick<TestStore, 'settings'>,
  { sql, values }: Pick<SeenStatement, 'sql' | 'values'>,
): Promise<string[]> {
  if (settings.databaseUrl !== undefined) {
    const connection = await openPostgresConnection({ url: settings.databaseUrl, limits });
    try {
      const { rows } = await connection.execute(`explain (costs off) ${sql}`, values);
      return rows.map((row) => String(Object.values(row as object)[0]).trim());
    } finally {
      await connection.close();
    }
  }
  const raw = new DatabaseSync(storeFile(settings.dataDir));
  try {
    const rows = raw.prepare(`explain query plan ${sql}`).all(...values);
    return rows.map(({ detail }) => String(detail));
  } finally {
    raw.close();
  }
}

/**
 * What in a plan grows with the tables: reading one from end to end, or sorting what was found. Reading a whole index is
 * as bad; one that holds only what is open or leased now is named `exempt`.
 */
export function growingSteps(plan: string[], exempt: RegExp = /^$/): string[] {
  return plan.filter((step) => /\bSCAN\b|TEMP B-TREE|Seq Scan|\bSort\b/.test(step) && !exempt.test(step));
}
