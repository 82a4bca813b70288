import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import { deleteRows } from './insert-rows.ts';
import { findList, layoutOf, type List, type ListOwner } from './list.ts';
import { openStoredFile } from './stored-file.ts';
import { surveyList, type Survey, type SurveyParts } from './survey-list.ts';
import { planReading } from './reading/read-list.ts';
import type { ColumnWish } from './reading/find-layout.ts';

/**
 * Another name, another column, or both: all of it or nothing. With another column the file is surveyed anew: while that
 * lasts the list has no plan and cannot be started. If it is broken off, the column has to be chosen again.
 */
export type ChangeListAnswer =
  | { kind: 'changed'; list: List }
  | { kind: 'list_not_found' }
  | { kind: 'wrong_state'; state: List['state'] };

const writeName = statement((db, arg: { list: string; name: string }) =>
  db.updateTable('list').set({ name: arg.name }).where('id', '=', arg.list),
);

export async function renameList(
  tx: Tx,
  { name, ...place }: ListOwner & { listId: string; name: string },
): Promise<ChangeListAnswer> {
  const list = await findList(tx, place);
  if (list === undefined) return { kind: 'list_not_found' };
  await tx.change(writeName, { list: place.listId, name });
  return { kind: 'changed', list: { ...list, name } };
}

const forgetPlan = statement((db, arg: { list: string }) =>
  db
    .updateTable('list')
    .set({
      plan: null,
      suggestions: null,
      rows: 0,
      addresses: 0,
      duplicates: 0,
      blank: 0,
      rejected: 0,
      repaired: 0,
    })
    .where('id', '=', arg.list)
    .where('state', '=', 'surveyed'),
);

type NewPlan = {
  list: string;
  plan: string;
  suggestions: string;
  expectedSeconds: number | null;
  split: number;
  rows: number;
  addresses: number;
  duplicates: number;
  blank: number;
  rejected: number;
  repaired: number;
};

const writePlan = statement((db, arg: NewPlan) =>
  db
    .updateTable('list')
    .set({
      plan: arg.plan,
      suggestions: arg.suggestions,
      expected_seconds: arg.expectedSeconds,
      split: arg.split,
      rows: arg.rows,
      addresses: arg.addresses,
      duplicates: arg.duplicates,
      blank: arg.blank,
      rejected: arg.rejected,
      repaired: arg.repaired,
    })
    .where('id', '=', arg.list)
    .where('state', '=', 'surveyed')
    .where('plan', 'is', null),
);

type ColumnChange = ListOwner & {
  listId: string;
  column: ColumnWish | undefined;
  split: boolean | undefined;
  /** Written with the first step of the change, once the column is known to be there. */
  name?: string | undefined;
};

const rowsDeletedAtOnce = 1_000;

/** Throws a `ListProblem`, and changes nothing, where the file has no such column. */
export async function changeColumn(
  { accountId, mode, listId, ...wish }: ColumnChange,
  parts: Omit<SurveyParts, 'store'> & { store: Pick<Store, 'read' | 'write' | 'writeAlone'> },
): Promise<ChangeListAnswer> {
  const { store } = parts;
  const place = { accountId, mode, listId };
  const list = await findList(store.read, place);
  if (list === undefined) return { kind: 'list_not_found' };
  if (list.state !== 'surveyed') return { kind: 'wrong_state', state: list.state };
  const { bytes: size, isValidUtf8 } = list.file;
  const file = openStoredFile(store.read, { listId, size });
  const column = wish.column ?? (list.plan === undefined ? undefined : layoutOf(list).column);
  const split = wish.split ?? list.split;
  await planReading(file, { isValidUtf8, column }, parts.workbooks.readerFor(place));

  const taken = await store.writeAlone((tx) => takeForChange(tx, listId, wish.name), accountId);
  if (!taken) return { kind: 'wrong_state', state: list.state };
  for (let from = 1; from <= list.counts.rows; from += rowsDeletedAtOnce)
    await store.write((tx) => deleteRows(tx, listId, { from, to: from + rowsDeletedAtOnce }));
  const survey = await surveyList({ ...place, file, isValidUtf8, column, split }, parts);
  await store.write((tx) => tx.change(writePlan, planOf(listId, survey, split)), accountId);
  const changed = await findList(store.read, place);
  return changed === undefined ? { kind: 'list_not_found' } : { kind: 'changed', list: changed };
}

/** `false` if the list was started or deleted meanwhile; then its name stays too. */
async function takeForChange(tx: Tx, listId: string, name: string | undefined): Promise<boolean> {
  if ((await tx.change(forgetPlan, { list: listId })) !== 1) return false;
  if (name !== undefined) await tx.change(writeName, { list: listId, name });
  return true;
}

function planOf(listId: string, survey: Survey, split: boolean): NewPlan {
  const { plan, counts, suggestions, expectedSeconds } = survey;
  const found = { plan: JSON.stringify(plan), suggestions: JSON.stringify(suggestions), expectedSeconds };
  return { list: listId, ...found, split: split ? 1 : 0, ...counts };
}
