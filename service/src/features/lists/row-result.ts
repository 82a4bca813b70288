import type { ListRow } from '@mailproof/client';
import type { List } from './list.ts';
import { othersFirst } from '../../core/store/others-first.ts';
import { statement, type Reader } from '../../core/store/statement.ts';

/** The result of a row, before it is shown or written. A duplicate has the result of the first row with its address. */
export type RowResult = {
  row: number;
  kind: 'address' | 'duplicate' | 'rejected' | 'blank';
  email: string | null;
  /** A status of the contract, or `rejected`; null without an answer (yet). */
  status: string | null;
  score: number | null;
  safeToSend: boolean | null;
  deliverable: boolean | null;
  /** Reason of the verdict, of the rejection, or of the missing answer. */
  reason: string;
  provider: string | null;
  repaired: string | null;
  /** Domain of the large provider that was most likely meant. */
  didYouMean: string | null;
};

/** A row with the answer of the first row that has its address. */
export type JoinedRow = {
  row: number;
  kind: RowResult['kind'];
  email: string | null;
  repaired: string | null;
  fault: string | null;
  answered: number;
  status: string | null;
  score: number | null;
  safe: number | null;
  deliverable: number | null;
  reason: string | null;
  provider: string | null;
  did_you_mean: string | null;
  next_at: number | null;
};

export function rowResult(joined: JoinedRow, list: Pick<List, 'state' | 'run'>): RowResult {
  const { row, kind, email, repaired } = joined;
  const silent = {
    row,
    kind,
    email,
    repaired,
    status: null,
    score: null,
    safeToSend: null,
    deliverable: null,
    provider: null,
    didYouMean: null,
  };
  switch (kind) {
    case 'blank':
      return { ...silent, reason: 'blank' };
    case 'rejected':
      return { ...silent, status: 'rejected', reason: joined.fault ?? '' };
    case 'address':
    case 'duplicate':
      if (joined.status === null) return { ...silent, ...unanswered(joined, list) };
      return {
        ...silent,
        status: joined.status,
        score: joined.score,
        safeToSend: flag(joined.safe),
        deliverable: flag(joined.deliverable),
        reason: joined.reason ?? '',
        provider: joined.provider,
        didYouMean: joined.did_you_mean,
      };
  }
}

/** Returns why there is no answer: not yet, not wanted, or the list ended first. */
function unanswered(
  { answered: firstRow, next_at: nextAt }: JoinedRow,
  { state, run }: Pick<List, 'state' | 'run'>,
): { status: string | null; reason: string } {
  const isWanted = state === 'surveyed' || firstRow <= run.lastRow;
  if (!isWanted) return { status: null, reason: 'not_wanted' };
  if (state === 'completed') return { status: 'unknown', reason: 'deadline_reached' };
  if (state === 'cancelled') return { status: null, reason: 'cancelled' };
  return { status: null, reason: nextAt === null ? 'pending' : 'waiting' };
}

function flag(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

/** Returns a row in the words of the contract. */
export function presentRow({ safeToSend, deliverable, ...result }: RowResult): ListRow {
  const { row, email, status, score, reason, provider, repaired, didYouMean } = result;
  return {
    row,
    email,
    status,
    score,
    is_safe_to_send: safeToSend,
    is_deliverable: deliverable,
    reason,
    provider,
    repaired,
    did_you_mean: didYouMean,
  };
}

/** Rows that a download or a page contains. */
export type RowChoice = { kind: 'all' } | { kind: 'statuses'; statuses: ReadonlySet<string> };

const presets: Record<string, readonly string[]> = {
  sendable: ['safe', 'role_account'],
  risky: ['catch_all', 'inbox_full', 'unknown'],
  undeliverable: ['invalid', 'disabled', 'disposable', 'spamtrap', 'rejected'],
};

const statuses = new Set([...Object.values(presets).flat()]);

/** Reads `all`, a preset, or statuses separated by commas; `undefined` if a word is none of these. */
export function readRowChoice(text: string, { roles }: { roles: boolean }): RowChoice | undefined {
  if (text === 'all') return { kind: 'all' };
  const wanted = presets[text] ?? text.split(',');
  if (!wanted.every((status) => statuses.has(status))) return undefined;
  const chosen = new Set(wanted);
  if (text === 'sendable' && !roles) chosen.delete('role_account');
  return { kind: 'statuses', statuses: chosen };
}

export function isChosen(choice: RowChoice, { status }: RowResult): boolean {
  return choice.kind === 'all' || (status !== null && choice.statuses.has(status));
}

/** Rows read per statement; a page whose rows are rare takes several statements. */
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

/** Yields all rows in order, a window at a time. */
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

/** Windows that one page may read; then it returns the rows found, and the next page continues. */
const windowsAPage = 50;

/** Returns a page of rows. `next` is the place of the next page; `undefined` on the last. */
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

/** Returns the explanation of a row as it was written with the answer; `undefined` without an answer. */
export async function readExplanation(reader: Reader, list: List, row: number): Promise<string | undefined> {
  return (await reader.first(findExplanation, { list: list.id, row }))?.explanation ?? undefined;
}
