import { sql } from 'kysely';
import { statement, type Reader, type SqlValue, type Statement } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import { audit, type AuditReport } from './audit.ts';
import { tablesToCopy, type TableToCopy } from './copied-tables.ts';

/**
 * Copies an installation into an empty database, table by table and in slices, from one moment of the source. The books
 * are audited on both sides and must agree. Whatever breaks it off leaves a database that is not empty, and so cannot be
 * taken for a whole one by the next attempt; a service would find it, so it is to be dropped.
 */
export type CopyReport = {
  accounts: number;
  tasks: number;
  entries: number;
  rows: number;
  violations: AuditReport['violations'];
};

export type CopyAnswer =
  | ({ kind: 'copied' } & CopyReport)
  /** A service works on the source: what it does next would be missing. */
  | { kind: 'source_in_use'; processes: number }
  | { kind: 'target_not_empty'; table: string }
  /** Both sides were read, and they differ. */
  | { kind: 'differs'; detail: string };

type CopyStoreParts = {
  from: Store;
  to: Store;
  /** PostgreSQL counts on from where it left off itself, and not from the numbers that were written. */
  toKind: 'sqlite' | 'postgres';
  /** After every slice. */
  onProgress: (table: string, rows: number) => void;
};

const sliceRows = 500;

type Row = Record<string, SqlValue>;

export async function copyStore(parts: CopyStoreParts): Promise<CopyAnswer> {
  const { from, to } = parts;
  const processes = await countOthers(from);
  if (processes > 0) return { kind: 'source_in_use', processes };
  for (const table of tablesToCopy) {
    const [first] = await to.read.all(pageOf(table), { ...table.beforeAll, rows: 1 });
    if (first !== undefined) return { kind: 'target_not_empty', table: table.name };
  }
  return from.snapshot(async (reader) => {
    const counts = new Map<string, number>();
    for (const table of tablesToCopy) counts.set(table.name, await copyTable(table, reader, parts));
    if (parts.toKind === 'postgres') await to.write((tx) => tx.first(countOnFromCopied, {}));
    return compare(reader, to, counts);
  });
}

const countOnFromCopied = statement((db) => ({
  compile: () =>
    sql`select setval(pg_get_serial_sequence('audit_log', 'number'),
      (select coalesce(max(number), 0) + 1 from audit_log), false)`.compile(db),
}));

/** Announcing ourselves shows who else is there. */
async function countOthers(store: Store): Promise<number> {
  const registry = await store.joinRegistry();
  try {
    return (await registry.findLiving()).length - 1;
  } finally {
    await registry.leave();
  }
}

async function copyTable(
  table: TableToCopy,
  reader: Reader,
  { to, onProgress }: CopyStoreParts,
): Promise<number> {
  const page = pageOf(table);
  let insert: Statement<Row, unknown> | undefined;
  let copied = 0;
  for (let after: Row | undefined = table.beforeAll; after !== undefined;) {
    const rows: Row[] = await reader.all(page, { ...after, rows: sliceRows });
    const add = (insert ??= insertInto(table, Object.keys(rows[0] ?? {})));
    if (rows.length > 0) await to.write((tx) => Promise.all(rows.map((row) => tx.change(add, row))));
    copied += rows.length;
    onProgress(table.name, copied);
    after = rows.length === sliceRows ? keyOf(table, rows.at(-1)) : undefined;
  }
  return copied;
}

function keyOf({ beforeAll }: TableToCopy, row: Row | undefined): Row {
  return Object.fromEntries(Object.keys(beforeAll).map((column) => [column, row?.[column] ?? null]));
}

/** Both databases have the same columns, so the rows of one are those of the other. */
function pageOf({ name, beforeAll }: TableToCopy): Statement<Row, Row> {
  const columns = Object.keys(beforeAll);
  return statement<Row, Row>((db, arg) => {
    const key = sql.join(columns.map((column) => sql.ref(column)));
    const after = sql.join(columns.map((column) => sql`${arg[column]}`));
    return {
      compile: () =>
        sql<Row>`select * from ${sql.table(name)} where (${key}) > (${after}) order by ${key} limit ${arg['rows']}`.compile(
          db,
        ),
    };
  });
}

function insertInto({ name }: TableToCopy, columns: string[]): Statement<Row, unknown> {
  return statement<Row, unknown>((db, arg) => {
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const values = sql.join(columns.map((column) => sql`${arg[column]}`));
    return { compile: () => sql`insert into ${sql.table(name)} (${names}) values (${values})`.compile(db) };
  });
}

async function compare(reader: Reader, to: Store, counts: Map<string, number>): Promise<CopyAnswer> {
  const before = await audit({ store: { snapshot: (look) => look(reader) } });
  const after = await audit({ store: to });
  for (const table of tablesToCopy) {
    const there = (await to.read.first(countOf(table), {}))?.rows;
    const here = counts.get(table.name);
    if (here !== there)
      return { kind: 'differs', detail: `${table.name}: ${here} rows here, ${there} there` };
  }
  if (summaryOf(before) !== summaryOf(after)) {
    return { kind: 'differs', detail: 'the audits of the two do not say the same' };
  }
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { kind: 'copied', ...after, entries: counts.get('entry') ?? 0, rows };
}

/** The two may sort accounts differently. */
function summaryOf({ accounts, tasks, violations }: AuditReport): string {
  return JSON.stringify([accounts, tasks, violations.map((one) => JSON.stringify(one)).sort()]);
}

function countOf({ name }: TableToCopy): Statement<Record<string, never>, { rows: number }> {
  return statement((db) => ({
    compile: () => sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.compile(db),
  }));
}
