import { othersFirst } from '../../core/store/others-first.ts';
import { statement, type Reader } from '../../core/store/statement.ts';
import type { List } from './list.ts';
import { isChosen, rowResult, type JoinedRow, type RowChoice, type RowResult } from './row-result.ts';

/** So many rows are looked at in one statement; a page whose rows are rare takes several. */
const windowRows = 1_000;

const findWindow = statement((db, arg: { list: string; after: number; to: number }) =>
  db
    .selectFrom('list_row as own')
    .innerJoin('list_row as answer', (join) =>
      join
        .onRef('answer.list_id', '=', 'own.list_id')
        .on((eb) => eb('answer.row', '=', eb.fn.coalesce('own.same_as', 'own.row'))),
    )
    .select(['own.row', 'own.kind', 'own.email', 'own.repaired', 'own.fault', 'answer.row as answered'])
    .select(['answer.status', 'answer.score', 'answer.safe', 'answer.deliverable', 'answer.reason'])
    .select(['answer.provider', 'answer.did_you_mean', 'answer.next_at'])
    .where('own.list_id', '=', arg.list)
    .where('own.row', '>', arg.after)
    .where('own.row', '<=', arg.to)
    .orderBy('own.row'),
);

/** All rows in order, a window at a time. */
export async function* readRowWindows(reader: Reader, list: List): AsyncGenerator<RowResult[]> {
  for (let after = 0; after < list.counts.rows; after += windowRows) {
    const rows: JoinedRow[] = await reader.all(findWindow, { list: list.id, after, to: after + windowRows });
    yield rows.map((row) => rowResult(row, list));
    await othersFirst();
  }
}

export type RowsRequest = {
  choice: RowChoice;
  provider: string | undefined;
  search: string | undefined;
  after: number;
  limit: number;
};

/** Windows that one page looks at before it is handed out with what there is; the next page goes on. */
const windowsAPage = 50;

/** A page of rows. `next` is where the next begins; none where this was the last. */
export async function readRows(
  reader: Reader,
  list: List,
  { choice, provider, search, after, limit }: RowsRequest,
): Promise<{ rows: RowResult[]; next: number | undefined }> {
  const wanted = search?.toLowerCase();
  const found: RowResult[] = [];
  let at = after;
  for (let window = 0; window < windowsAPage && at < list.counts.rows; window += 1, at += windowRows) {
    const joined: JoinedRow[] = await reader.all(findWindow, {
      list: list.id,
      after: at,
      to: at + windowRows,
    });
    for (const row of joined) {
      const result = rowResult(row, list);
      if (!isChosen(choice, result)) continue;
      if (provider !== undefined && result.provider !== provider) continue;
      if (wanted !== undefined && result.email?.toLowerCase().includes(wanted) !== true) continue;
      if (found.length === limit) return { rows: found, next: found.at(-1)?.row };
      found.push(result);
    }
    await othersFirst();
  }
  return { rows: found, next: at < list.counts.rows ? at : undefined };
}

const findExplanation = statement((db, arg: { list: string; row: number }) =>
  db
    .selectFrom('list_row as own')
    .innerJoin('list_row as answer', (join) =>
      join
        .onRef('answer.list_id', '=', 'own.list_id')
        .on((eb) => eb('answer.row', '=', eb.fn.coalesce('own.same_as', 'own.row'))),
    )
    .select('answer.explanation')
    .where('own.list_id', '=', arg.list)
    .where('own.row', '=', arg.row),
);

/** Why the row says what it says, as it was written with the answer; none where there is no answer. */
export async function readExplanation(reader: Reader, list: List, row: number): Promise<string | undefined> {
  return (await reader.first(findExplanation, { list: list.id, row }))?.explanation ?? undefined;
}
