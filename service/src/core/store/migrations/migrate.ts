import type { Connection } from '../connection.ts';
import type { SchemaWords } from '../dialect.ts';
import { repeatUndone } from '../repeat-undone.ts';
import { statement } from '../statement.ts';
import type { Store } from '../store.ts';
import { booksAndTasks } from './0001-books-and-tasks.ts';
import { patienceAndMemory } from './0002-patience-and-memory.ts';
import { accountPages } from './0003-account-pages.ts';
import { operator } from './0004-operator.ts';
import { processes } from './0005-processes.ts';
import { hostLeases } from './0006-host-leases.ts';
import { lists } from './0007-lists.ts';
import { didYouMean } from './0008-did-you-mean.ts';
import { egressAddresses } from './0009-egress-addresses.ts';
import { probers } from './0010-probers.ts';
import { growth } from './0011-growth.ts';
import { webhooks } from './0012-webhooks.ts';
import { formKeys } from './0013-form-keys.ts';
import { keyLimits } from './0014-key-limits.ts';
import { rates } from './0016-rates.ts';
import { people } from './0017-people.ts';
import { waitingAddresses } from './0018-waiting-addresses.ts';
import { openHolds } from './0019-open-holds.ts';
import { boundedProbers } from './0020-bounded-probers.ts';
import { modes } from './0021-modes.ts';
import { fairWebhooks } from './0022-fair-webhooks.ts';
import { listTimes } from './0028-list-times.ts';
import { noTurns } from './0029-no-turns.ts';
import type { Migration } from './migration.ts';

const migrations: readonly Migration[] = [
  booksAndTasks,
  patienceAndMemory,
  accountPages,
  operator,
  processes,
  hostLeases,
  lists,
  didYouMean,
  egressAddresses,
  probers,
  growth,
  webhooks,
  formKeys,
  keyLimits,
  rates,
  people,
  waitingAddresses,
  openHolds,
  boundedProbers,
  modes,
  fairWebhooks,
  listTimes,
  noTurns,
];

type MigrateAnswer =
  | { kind: 'up_to_date'; version: number }
  | { kind: 'newer'; version: number; known: number }
  /** Programs that know only this schema may be at work on it: nothing was changed. */
  | { kind: 'older'; version: number; known: number };

/** A program may bring any database to its schema, or only make the tables of a new one. */
export type SchemaRight = 'migrate' | 'create';

/** Tells the operator what to do about a database that only `migrate` and `serve` may change. */
export function olderSchema(place: string, { version, known }: { version: number; known: number }): string {
  return `${place} has schema ${version}, and this version of Mailproof works on ${known}: run mailproof migrate first (mailproof upgrade --check says whether the version before goes on working), or use the version that serves it`;
}

const mostTries = 20;

/**
 * Brings a database to the schema this version knows. Forward only, each step in one transaction with
 * its version number, under a lock: of two processes that start together one migrates and the other
 * finds it done.
 *
 * Steps only add, replace indexes by better ones, and drop tables that no program in service uses. So the program before a step goes on working beside the one after
 * it, and `serves` says down to which schema that holds: a program that knows no less may work on a newer schema than its
 * own.
 */
export async function migrate(
  connection: Connection,
  words: SchemaWords,
  { steps = migrations, right = 'migrate' }: { steps?: readonly Migration[]; right?: SchemaRight } = {},
): Promise<MigrateAnswer> {
  const known = steps.at(-1)?.version ?? 0;
  const found = await readVersion(connection, words);
  let { version } = found;
  if (version > known && found.serves > known) return { kind: 'newer', version, known };
  if (right === 'create' && version > 0 && version < known) return { kind: 'older', version, known };
  for (const step of steps) {
    // Programs that work on the database meanwhile lock tables in their own order.
    if (step.version > version) version = await repeatUndone(() => apply(connection, step, words), mostTries);
  }
  return { kind: 'up_to_date', version };
}

/** What a start of this program would do to a database; nothing is done. */
export type UpgradePlan =
  /** No service has run on it yet. */
  | { kind: 'new'; known: number }
  | { kind: 'up_to_date'; version: number; known: number }
  /** `goesOn`: programs that know the schema of now work on the one to come. */
  | { kind: 'migrates'; version: number; known: number; steps: PlannedStep[]; goesOn: boolean }
  /** A newer program was here, and its schema serves this one too. */
  | { kind: 'serves_older'; version: number; known: number }
  | { kind: 'too_new'; version: number; known: number };

/** Names of tables. An index is built while writes to its table wait, so the rows say how long. */
export type PlannedStep = {
  version: number;
  creates: string[];
  extends: string[];
  drops: string[];
  indexes: { table: string; rows: number }[];
};

export async function planUpgrade(
  connection: Pick<Connection, 'execute'>,
  words: SchemaWords,
  steps: readonly Migration[] = migrations,
): Promise<UpgradePlan> {
  const known = steps.at(-1)?.version ?? 0;
  const { version, serves } = await readVersion(connection, words);
  if (version === 0) return { kind: 'new', known };
  if (version === known) return { kind: 'up_to_date', version, known };
  if (version > known) return { kind: serves > known ? 'too_new' : 'serves_older', version, known };
  const pending = steps.filter((step) => step.version > version);
  const made = new Set(
    pending.flatMap((step) => tablesIn(step.statements(words), /^\s*create table (\w+)/i)),
  );
  const planned: PlannedStep[] = [];
  for (const step of pending) {
    const statements = step.statements(words);
    const indexed = tablesIn(statements, /^\s*create (?:unique )?index \w+\s+on (\w+)/i);
    planned.push({
      version: step.version,
      creates: tablesIn(statements, /^\s*create table (\w+)/i),
      extends: tablesIn(statements, /^\s*alter table (\w+) add/i),
      drops: tablesIn(statements, /^\s*drop table (\w+)/i),
      indexes: await countRows(
        connection,
        indexed.filter((table) => !made.has(table)),
      ),
    });
  }
  return { kind: 'migrates', version, known, steps: planned, goesOn: version >= oldestServed };
}

function tablesIn(statements: readonly string[], pattern: RegExp): string[] {
  return [...new Set(statements.flatMap((text) => pattern.exec(text)?.[1] ?? []))];
}

async function countRows(
  connection: Pick<Connection, 'execute'>,
  tables: readonly string[],
): Promise<PlannedStep['indexes']> {
  const counted: PlannedStep['indexes'] = [];
  for (const table of tables) {
    const { rows } = await connection.execute(`select count(*) as n from ${table}`, []);
    counted.push({ table, rows: Number((rows[0] as { n?: unknown } | undefined)?.n ?? 0) });
  }
  return counted;
}

async function apply(connection: Connection, step: Migration, words: SchemaWords): Promise<number> {
  try {
    for (const statement of words.begin) await connection.execute(statement, []);
    const { version } = await readVersion(connection, words);
    if (version < step.version) {
      for (const statement of step.statements(words)) await connection.execute(statement, []);
      await writeVersion(connection, step.version, words);
    }
    await connection.execute('commit', []);
    return Math.max(version, step.version);
  } catch (error) {
    if (connection.inTransaction()) await connection.execute('rollback', []);
    throw error;
  }
}

type FoundVersion = {
  version: number;
  /** The oldest schema whose programs work on this one. */ serves: number;
};

async function readVersion(
  connection: Pick<Connection, 'execute'>,
  words: SchemaWords,
): Promise<FoundVersion> {
  const table = await connection.execute(words.findVersionTable, []);
  if (table.rows.length === 0) return { version: 0, serves: 0 };
  const { rows } = await connection.execute('select * from schema_version', []);
  const row = rows[0];
  if (typeof row !== 'object' || row === null || !('version' in row)) return { version: 0, serves: 0 };
  const version = Number(row.version);
  return { version, serves: 'serves' in row ? Number(row.serves) : version };
}

/** The first schema that has the column. */
const servesSince = 5;
/**
 * The oldest schema whose programs work beside this one. To programs before 18 a task whose addresses still wait in one
 * row (see 0018-waiting-addresses.ts) has none: their audit would freeze its account.
 */
const oldestServed = 18;

async function writeVersion(connection: Connection, version: number, words: SchemaWords): Promise<void> {
  const table = await connection.execute(words.findVersionTable, []);
  if (table.rows.length === 0) {
    await connection.execute(
      'create table schema_version (version bigint not null, opened_at bigint not null)',
      [],
    );
  }
  const { changes } = await connection.execute(`update schema_version set version = ${version}`, []);
  if (changes === 0) {
    await connection.execute(`insert into schema_version (version, opened_at) values (${version}, 0)`, []);
  }
  if (version >= servesSince) {
    await connection.execute(`update schema_version set serves = ${oldestServed}`, []);
  }
}

const findVersion = statement((db) => db.selectFrom('schema_version').select('version').limit(1));

/** The schema that the store has now. */
export async function readSchemaVersion({ store }: { store: Pick<Store, 'read'> }): Promise<number> {
  return (await store.read.first(findVersion, {}))?.version ?? 0;
}
