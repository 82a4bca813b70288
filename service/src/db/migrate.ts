import type { Connection } from './connection.ts';
import type { SchemaWords } from './dialect.ts';
import { booksAndTasks } from './migrations/0001-books-and-tasks.ts';
import { patienceAndMemory } from './migrations/0002-patience-and-memory.ts';
import { accountPages } from './migrations/0003-account-pages.ts';
import { operator } from './migrations/0004-operator.ts';

/**
 * Brings a database to the schema this version knows. Forward only, each step in one transaction with
 * its version number, under the write lock: of two processes that start together one migrates and the
 * other finds it done.
 */
export type Migration = { version: number; statements(words: SchemaWords): string[] };

const migrations: readonly Migration[] = [booksAndTasks, patienceAndMemory, accountPages, operator];

type MigrateAnswer =
  { kind: 'up_to_date'; version: number } | { kind: 'newer'; version: number; known: number };

export async function migrate(
  connection: Connection,
  words: SchemaWords,
  steps: readonly Migration[] = migrations,
): Promise<MigrateAnswer> {
  const known = steps.at(-1)?.version ?? 0;
  let version = await readVersion(connection);
  if (version > known) return { kind: 'newer', version, known };
  for (const step of steps) {
    if (step.version > version) version = await apply(connection, step, words);
  }
  return { kind: 'up_to_date', version };
}

async function apply(connection: Connection, step: Migration, words: SchemaWords): Promise<number> {
  await connection.execute('begin immediate', []);
  try {
    const version = await readVersion(connection);
    if (version < step.version) {
      for (const statement of step.statements(words)) await connection.execute(statement, []);
      await writeVersion(connection, step.version);
    }
    await connection.execute('commit', []);
    return Math.max(version, step.version);
  } catch (error) {
    if (connection.inTransaction()) await connection.execute('rollback', []);
    throw error;
  }
}

const makeVersionTable = `create table if not exists schema_version (version bigint not null, opened_at bigint not null)`;

async function readVersion(connection: Connection): Promise<number> {
  await connection.execute(makeVersionTable, []);
  const { rows } = await connection.execute('select version from schema_version', []);
  const row = rows[0];
  if (typeof row !== 'object' || row === null || !('version' in row)) return 0;
  return Number(row.version);
}

async function writeVersion(connection: Connection, version: number): Promise<void> {
  const { changes } = await connection.execute(`update schema_version set version = ${version}`, []);
  if (changes > 0) return;
  await connection.execute(`insert into schema_version (version, opened_at) values (${version}, 0)`, []);
}
