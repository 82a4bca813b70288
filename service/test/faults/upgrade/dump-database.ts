import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Settings } from '../../support/mailproof.ts';
import { findPostgresPrograms } from '@mailproof/world/database';

/** Returns the database of the settings as SQL that creates it anew: tables, rows, then indexes and rules. */
export function dumpDatabase(env: Settings): Promise<string> {
  const url = env['MAILPROOF_DATABASE_URL'];
  if (url !== undefined) return dumpPostgres(url);
  return Promise.resolve(dumpSqlite(join(env['MAILPROOF_DATA_DIR'] ?? '', 'mailproof.db')));
}

function dumpSqlite(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const parts = database
      .prepare(`select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%'`)
      .all()
      .map(({ type, name, sql }) => ({ type, name: String(name), sql: `${String(sql)};\n` }));
    const tables = parts.filter(({ type }) => type === 'table');
    const rules = parts.filter(({ type }) => type !== 'table');
    return [
      ...tables.map(({ sql }) => sql),
      ...tables.flatMap(({ name }) =>
        database
          .prepare(`select * from ${name}`)
          .all()
          .map((row) => `insert into ${name} values (${Object.values(row).map(literal).join(', ')});\n`),
      ),
      ...rules.map(({ sql }) => sql),
    ].join('');
  } finally {
    database.close();
  }
}

function literal(value: SQLOutputValue): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

async function dumpPostgres(url: string): Promise<string> {
  const program = join(findPostgresPrograms() ?? '', 'pg_dump');
  const args = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', `--dbname=${url}`];
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 64 * 1_048_576 });
  // Comments name current versions, and lines with a backslash are meant for psql.
  return stdout.replaceAll(/^(?:--.*|\\.*)\n/gm, '').replaceAll(/\n{2,}/g, '\n');
}
