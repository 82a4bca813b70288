import { sql, type Insertable } from 'kysely';
import type { Schema } from './schema.ts';
import { statement, type SqlValue, type Tx } from './statement.ts';

type Columns<Table extends keyof Schema, Column extends keyof Insertable<Schema[Table]>> = {
  columns: readonly Column[];
  /** What is the same in every row that is inserted. */
  constants?: Partial<Insertable<Schema[Table]>>;
};

/** Few sizes, so that few statements are prepared; any number of rows is made up of them. */
const sizes = [64, 32, 16, 8, 4, 2, 1];

/**
 * Inserts rows of a table, many in one statement: a statement costs more than a row. All are sent at once, in order, and
 * nobody waits for the answers (see `Tx.send`).
 */
export function multiRowInsert<Table extends keyof Schema, Column extends keyof Insertable<Schema[Table]>>(
  table: Table,
  { columns, constants = {} }: Columns<Table, Column>,
): (tx: Pick<Tx, 'send'>, rows: Pick<Insertable<Schema[Table]>, Column>[]) => void {
  const literals = Object.entries(constants).map(([name, value]) => [name, sql.lit(value)]);
  const rowAt = (values: SqlValue[], row: number): unknown =>
    Object.fromEntries([
      ...columns.map((column, index) => [column, values[row * columns.length + index]]),
      ...literals,
    ]);
  const batches = sizes.map((size) => ({
    size,
    insert: statement((db, values: SqlValue[]) =>
      // The columns are the table's, and what `rows` holds for each is of its type.
      db.insertInto(table).values(Array.from({ length: size }, (_, row) => rowAt(values, row)) as never),
    ),
  }));
  return (tx, rows) => {
    let next = 0;
    for (const { size, insert } of batches) {
      for (; next + size <= rows.length; next += size) {
        const values: SqlValue[] = [];
        for (let at = next; at < next + size; at += 1) {
          const row = rows[at];
          if (row === undefined) throw new Error('fewer rows than were counted');
          for (const column of columns) values.push(row[column] as SqlValue);
        }
        tx.send(insert, values);
      }
    }
  };
}
