import { sql } from 'kysely';
import type { Schema } from '../../core/store/schema.ts';
import { statement, type Reader, type SqlValue, type Statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { Audit, AuditReport } from '../../core/upkeep/audit.ts';

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
  /** A service is running on the source: what it does next would be missing. */
  | { kind: 'source_in_use'; processes: number }
  | { kind: 'target_not_empty'; table: string }
  /** Both sides were read and differ. */
  | { kind: 'differs'; detail: string };

type CopyStoreParts = {
  audit: Audit;
  from: Store;
  to: Store;
  /** On PostgreSQL the sequence has to be moved on past the numbers that were copied. */
  toKind: 'sqlite' | 'postgres';
  /** After every slice. */
  onProgress: (table: string, rows: number) => void;
};

const sliceRows = 500;

/**
 * What is copied of an installation, in an order in which every row finds those that it refers to. Processes,
 * the ownership of egress addresses and probes belong to what is running, the version to the database, and what is added
 * up of open holds is added up again as they are copied.
 */
type CopiedTable = Exclude<
  keyof Schema,
  'process' | 'egress_address' | 'probe' | 'schema_version' | 'open_task_credits'
>;

/**
 * The columns of a table's primary key, each with a value that sorts before all real ones. Forgetting a table does not
 * compile.
 */
type Keys = {
  readonly [Table in CopiedTable]: { readonly [Column in keyof Schema[Table]]?: '' | -1 };
};

const keys: Keys = {
  account: { id: '' },
  api_key: { id: '' },
  form_key: { id: '' },
  form_use: { key_id: '', day: -1 },
  person: { id: '' },
  invitation: { id: '' },
  used_visit: { state_hash: '' },
  session: { id_hash: '' },
  webhook: { id: '' },
  webhook_delivery: { id: '' },
  hold: { account_id: '', id: '' },
  entry: { account_id: '', number: -1 },
  audit_mark: { account_id: '' },
  idempotency: { account_id: '', request_key: '' },
  list: { id: '' },
  list_piece: { list_id: '', number: -1 },
  list_row: { list_id: '', row: -1 },
  list_count: { list_id: '', status: '', provider: '' },
  task: { id: '' },
  waiting_addresses: { task_id: '' },
  item: { task_id: '', position: -1 },
  engine_memory: { kind: '', key: '' },
  prober: { id: '' },
  prober_egress: { prober_id: '', name: '' },
  prober_history: { kind: '' },
  audit_log: { number: -1 },
  verdict_count: { step_ms: -1, begins_at: -1, outcome: '', reason: '', provider: '' },
};

type TableToCopy = { name: string; beforeAll: Readonly<Record<string, '' | -1>> };

const tablesToCopy: readonly TableToCopy[] = Object.entries(keys).map(([name, beforeAll]) => ({
  name,
  beforeAll,
}));

type CopiedRow = Record<string, SqlValue>;

export async function copyBetweenStores(parts: CopyStoreParts): Promise<CopyAnswer> {
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
    return compare(reader, parts, counts);
  });
}

const countOnFromCopied = statement((db) => ({
  compile: () =>
    sql`select setval(pg_get_serial_sequence('audit_log', 'number'),
      (select coalesce(max(number), 0) + 1 from audit_log), false)`.compile(db),
}));

/** Joining the registry shows which other processes are running. */
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
  let insert: Statement<CopiedRow, unknown> | undefined;
  let copied = 0;
  for (let after: CopiedRow | undefined = table.beforeAll; after !== undefined;) {
    const rows: CopiedRow[] = await reader.all(page, { ...after, rows: sliceRows });
    const add = (insert ??= insertInto(table, Object.keys(rows[0] ?? {})));
    if (rows.length > 0) await to.write((tx) => Promise.all(rows.map((row) => tx.change(add, row))));
    copied += rows.length;
    onProgress(table.name, copied);
    after = rows.length === sliceRows ? keyOf(table, rows.at(-1)) : undefined;
  }
  return copied;
}

function keyOf({ beforeAll }: TableToCopy, row: CopiedRow | undefined): CopiedRow {
  return Object.fromEntries(Object.keys(beforeAll).map((column) => [column, row?.[column] ?? null]));
}

/** Both databases have the same columns, so the rows of one are those of the other. */
function pageOf({ name, beforeAll }: TableToCopy): Statement<CopiedRow, CopiedRow> {
  const columns = Object.keys(beforeAll);
  return statement<CopiedRow, CopiedRow>((db, arg) => {
    const key = sql.join(columns.map((column) => sql.ref(column)));
    const after = sql.join(columns.map((column) => sql`${arg[column]}`));
    return {
      compile: () =>
        sql<CopiedRow>`select * from ${sql.table(name)} where (${key}) > (${after}) order by ${key} limit ${arg['rows']}`.compile(
          db,
        ),
    };
  });
}

function insertInto({ name }: TableToCopy, columns: string[]): Statement<CopiedRow, unknown> {
  return statement<CopiedRow, unknown>((db, arg) => {
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const values = sql.join(columns.map((column) => sql`${arg[column]}`));
    return { compile: () => sql`insert into ${sql.table(name)} (${names}) values (${values})`.compile(db) };
  });
}

async function compare(
  reader: Reader,
  { to, audit }: Pick<CopyStoreParts, 'to' | 'audit'>,
  counts: Map<string, number>,
): Promise<CopyAnswer> {
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
