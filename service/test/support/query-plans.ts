import { DatabaseSync } from 'node:sqlite';
import type { Connection } from '../../src/core/store/connection.ts';
import { openPostgresConnection } from '../../src/core/store/postgres/postgres-connection.ts';
import { postgresLimits } from '../../src/core/store/postgres/postgres-limits.ts';
import { storeFile } from '../../src/core/store/sqlite/open-sqlite-store.ts';
import type { SqlValue } from '../../src/core/store/statement.ts';
import type { TestDatabase, TestStore } from './databases.ts';

/** A statement that was sent to the database, and its number of rows. */
export type SeenStatement = { sql: string; values: SqlValue[]; rows: number };

/** Opens a database and records its statements, from `forget` on. */
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
    /**
     * Updates the statistics. PostgreSQL does so by itself, now and then; SQLite does not, and plans by the shape
     * of its indexes.
     */
    analyze: () => (database.name === 'PostgreSQL' ? fixture.execute('analyze') : Promise.resolve()),
    forget: () => void (seen = []),
    /** The statements that read or change rows. */
    seen: () => seen.filter(({ sql }) => /^(?:select .* from|with|insert|update|delete) /is.test(sql)),
  };
}

/** A machine that runs many tests at once is slow. */
const limits = postgresLimits({ connectMs: 20_000, statementMs: 60_000 });

/** Returns the plan of a statement, one step a line. PostgreSQL's plan depends on the statistics of `analyze`. */
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
 * Returns the steps whose cost grows with the tables: a full scan, or a sort. A full scan of an index is as bad,
 * unless `exempt` names it: it holds only open or leased rows.
 */
export function growingSteps(plan: string[], exempt: RegExp = /^$/): string[] {
  return plan.filter((step) => /\bSCAN\b|TEMP B-TREE|Seq Scan|\bSort\b/.test(step) && !exempt.test(step));
}
