import { multiRowInsert } from '../../core/store/multi-row-insert.ts';
import { statement, type Tx } from '../../core/store/statement.ts';

/** A row of a list as the survey writes it. */
export type NewListRow = {
  list_id: string;
  row: number;
  kind: 'address' | 'duplicate' | 'rejected' | 'blank';
  email: string | null;
  host: string | null;
  same_as: number | null;
  repaired: string | null;
  fault: string | null;
};

export const insertRows = multiRowInsert('list_row', {
  columns: ['list_id', 'row', 'kind', 'email', 'host', 'same_as', 'repaired', 'fault'],
});

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
