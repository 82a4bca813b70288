import type { BenchDatabase } from '../processes/bench-postgres.ts';

/** What a table takes on the disk, its indexes and long values included. */
export type TableSize = {
  table: string;
  rows: number;
  /** As the run left it, with the rows that were replaced and not yet swept. */
  bytes: number;
  /** Written afresh, without a gap. */
  packedBytes: number;
};

/** The tables that grow with every address. The first two are erased with the task, the books never. */
const tables = ['task', 'item', 'hold', 'entry'] as const;

export async function measureSizes(database: BenchDatabase): Promise<TableSize[]> {
  const sizes: TableSize[] = [];
  for (const table of tables) {
    const before = await sizeOf(database, table);
    await database.ask(`vacuum full ${table}`);
    const after = await sizeOf(database, table);
    sizes.push({ table, rows: before.rows, bytes: before.bytes, packedBytes: after.bytes });
  }
  return sizes;
}

async function sizeOf(database: BenchDatabase, table: string): Promise<{ rows: number; bytes: number }> {
  const [row] = await database.ask(
    `select pg_total_relation_size('${table}')::float8 as bytes, (select count(*) from ${table})::int as rows`,
  );
  return { rows: Number(row?.['rows']), bytes: Number(row?.['bytes']) };
}
