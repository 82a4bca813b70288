import { statement, type SqlValue, type Tx } from '../db/statement.ts';

/** A row of a list as the survey writes it. */
export type NewListRow = {
  row: number;
  kind: 'address' | 'duplicate' | 'rejected' | 'blank';
  email: string | null;
  host: string | null;
  same_as: number | null;
  repaired: string | null;
  fault: string | null;
};

const columns = ['row', 'kind', 'email', 'host', 'same_as', 'repaired', 'fault'] as const;

type RowArguments = Record<string, SqlValue>;

/** So many rows in one statement: a statement costs more than a row. */
const insertMany = (count: number) =>
  statement((db, arg: RowArguments) =>
    db.insertInto('list_row').values(
      Array.from({ length: count }, (_, place) => ({
        list_id: arg['list'] as string,
        row: arg[`row${place}`] as number,
        kind: arg[`kind${place}`] as NewListRow['kind'],
        email: arg[`email${place}`] as string | null,
        host: arg[`host${place}`] as string | null,
        same_as: arg[`same_as${place}`] as number | null,
        repaired: arg[`repaired${place}`] as string | null,
        fault: arg[`fault${place}`] as string | null,
      })),
    ),
  );

/** Few sizes, so that few statements are prepared; any number of rows is made up of them. */
const batches = [100, 10, 1].map((size) => ({ size, insert: insertMany(size) }));

export async function insertRows(tx: Tx, listId: string, rows: NewListRow[]): Promise<void> {
  const sent: Promise<number>[] = [];
  let next = 0;
  for (const { size, insert } of batches) {
    for (; next + size <= rows.length; next += size) {
      sent.push(tx.change(insert, argumentsOf(listId, rows.slice(next, next + size))));
    }
  }
  await Promise.all(sent);
}

function argumentsOf(listId: string, rows: NewListRow[]): RowArguments {
  const all: RowArguments = { list: listId };
  for (const [place, row] of rows.entries()) {
    for (const column of columns) all[`${column}${place}`] = row[column];
  }
  return all;
}

const deleteSlice = statement((db, arg: { list: string; from: number; to: number }) =>
  db
    .deleteFrom('list_row')
    .where('list_id', '=', arg.list)
    .where('row', '>=', arg.from)
    .where('row', '<', arg.to),
);

/** Deletes rows `from` up to but not including `to`; slices are small, so that nobody waits long for one. */
export async function deleteRows(
  tx: Tx,
  listId: string,
  range: { from: number; to: number },
): Promise<number> {
  return tx.change(deleteSlice, { list: listId, ...range });
}
