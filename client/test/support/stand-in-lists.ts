import { randomUUID } from 'node:crypto';
import { verdictOf } from './stand-in-verdicts.ts';
import type { ListRecord, ListRow } from '../../src/list-types.ts';

/**
 * Lists of the stand-in. A file is split at commas, semicolons or tabs; the first column that mostly holds an @ counts.
 * A run is over after a number of looks at it. Enough to test who speaks to the service, not how it reads files.
 */
export type StandInList = {
  record: ListRecord;
  /** The lines of the file with the row each of them is; the heading is none. */
  lines: { text: string; end: string; row: ListRow | undefined }[];
  delimiter: string;
  looks: number;
};

type NewList = { name: string; column: string | undefined; sandbox: boolean };

/** Nothing where no column holds addresses. */
export function surveyStandInList(
  content: Buffer,
  { name, column, sandbox }: NewList,
): StandInList | undefined {
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  const lines = [...text.matchAll(/([^\r\n]*)(\r?\n|$)/g)]
    .map(([, line = '', end = '']) => ({ text: line, end }))
    .filter(({ text: line, end }) => line !== '' || end !== '');
  const delimiter = [',', ';', '\t'].find((one) => lines[0]?.text.includes(one)) ?? ',';
  const table = lines.map((line) => splitLine(line.text, delimiter));
  const hasHeading = table[0]?.every((cell) => !cell.includes('@')) === true;
  const names = (table[0] ?? []).map((cell, i) => (hasHeading ? cell : `column ${i + 1}`));
  const at = columnOf(table.slice(hasHeading ? 1 : 0), names, column);
  if (at === undefined) return undefined;
  const firsts = new Set<string>();
  const counts = { rows: 0, addresses: 0, duplicates: 0, blank: 0, rejected: 0, repaired: 0 };
  const kept = lines.map((line, i) => {
    if (i === 0 && hasHeading) return { ...line, row: undefined };
    counts.rows += 1;
    const row = rowOf(counts.rows, table[i]?.[at]?.trim() ?? '');
    counts[kindOf(row, firsts)] += 1;
    return { ...line, row };
  });
  const columns = names.map((heading, index) => ({ index, name: heading, samples: [] }));
  const record = newRecord({ name, sandbox, counts, columns, column: at, suggestions: suggestionsIn(kept) });
  return { record, lines: kept, delimiter, looks: 0 };
}

function columnOf(table: string[][], names: string[], wish: string | undefined): number | undefined {
  if (wish !== undefined) {
    const index = /^\d+$/.test(wish) ? Number(wish) : names.findIndex((name) => name === wish);
    return names[index] === undefined ? undefined : index;
  }
  const hits = names.map((_, i) => table.filter((cells) => cells[i]?.includes('@') === true).length);
  const best = hits.indexOf(Math.max(...hits));
  return (hits[best] ?? 0) > 0 ? best : undefined;
}

function splitLine(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let rest = line;
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest);
    const end = quoted === null ? rest.indexOf(delimiter) : rest.indexOf(delimiter, quoted[0].length);
    const raw = end === -1 ? rest : rest.slice(0, end);
    cells.push(quoted === null ? raw : (quoted[1] ?? '').replaceAll('""', '"'));
    if (end === -1) return cells;
    rest = rest.slice(end + 1);
  }
}

function rowOf(row: number, cell: string): ListRow {
  const isAddress = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(cell);
  const empty = {
    score: null,
    is_safe_to_send: null,
    is_deliverable: null,
    provider: null,
    repaired: null,
    did_you_mean: null,
  };
  if (cell === '') return { row, email: null, status: null, ...empty, reason: 'blank' };
  if (!isAddress) return { row, email: cell, status: 'rejected', ...empty, reason: 'no_at_sign' };
  return { row, email: cell, status: null, ...empty, reason: 'pending' };
}

function kindOf({ email, status }: ListRow, firsts: Set<string>) {
  if (email === null) return 'blank';
  if (status === 'rejected') return 'rejected';
  const key = email.toLowerCase();
  if (firsts.has(key)) return 'duplicates';
  firsts.add(key);
  return 'addresses';
}

/** The stand-in knows one slip. */
function suggestionsIn(lines: StandInList['lines']): ListRecord['suggestions'] {
  const rows = lines.filter(({ row }) => row?.email?.endsWith('@gmial.com') === true).length;
  return rows === 0 ? [] : [{ domain: 'gmial.com', did_you_mean: 'gmail.com', rows }];
}

type Counts = Pick<ListRecord, 'rows' | 'addresses' | 'duplicates' | 'blank' | 'rejected' | 'repaired'>;
type Surveyed = Pick<ListRecord, 'name' | 'sandbox' | 'columns' | 'column' | 'suggestions'> & {
  counts: Counts;
};

function newRecord({ counts, ...surveyed }: Surveyed): ListRecord {
  return {
    list_id: randomUUID(),
    ...surveyed,
    ...counts,
    state: 'surveyed',
    split: false,
    credits_needed: surveyed.sandbox ? 0 : counts.addresses,
    wanted: 0,
    checked: 0,
    waiting: 0,
    waiting_until: null,
    finishing: 0,
    progress_percentage: 0,
    by_status: {},
    by_provider: {},
    by_provider_and_status: {},
    expected_seconds: null,
    expected_end: null,
    credits_reserved: 0,
    credits_used: 0,
    created_by: 'Live key',
    created_at: '2026-01-02T03:04:00.000Z',
    started_at: null,
    ended_at: null,
    expires_at: '2026-01-17T03:04:00.000Z',
  };
}

export function startStandInList(list: StandInList, first: number | undefined): void {
  const { record } = list;
  record.state = 'running';
  record.wanted = Math.min(first ?? Infinity, record.addresses);
  record.credits_reserved = record.sandbox ? 0 : record.wanted;
  record.started_at = '2026-01-02T03:05:00.000Z';
}

/** One look at a running list brings it further; with the last it is completed. Tells what is charged then. */
export function lookAtStandInList(list: StandInList, looksPerList: number): number {
  const { record } = list;
  if (record.state !== 'running') return 0;
  list.looks += 1;
  record.checked = Math.floor((record.wanted * Math.min(list.looks, looksPerList)) / looksPerList);
  record.progress_percentage = record.wanted === 0 ? 100 : (100 * record.checked) / record.wanted;
  if (list.looks < looksPerList) return 0;
  answerRows(list);
  return endStandInList(list, 'completed');
}

export function endStandInList({ record }: StandInList, state: 'completed' | 'cancelled'): number {
  record.state = state;
  record.credits_reserved = 0;
  record.ended_at = '2026-01-02T03:06:00.000Z';
  return record.credits_used;
}

function answerRows({ lines, record }: StandInList): void {
  const firsts = new Set<string>();
  for (const { row } of lines) {
    if (row === undefined || row.reason !== 'pending' || row.email === null) continue;
    const { status, overall_score: score = null, explanation, ...verdict } = verdictOf(row.email, true);
    const { is_safe_to_send: safe = null, is_deliverable: deliverable = null } = verdict;
    const reason = explanation?.reason ?? '';
    Object.assign(row, { status, score, is_safe_to_send: safe, is_deliverable: deliverable, reason });
    const key = row.email.toLowerCase();
    if (firsts.has(key)) continue;
    firsts.add(key);
    record.by_status[status] = (record.by_status[status] ?? 0) + 1;
    if (status !== 'unknown' && !record.sandbox) record.credits_used += 1;
  }
}

const headings = [
  'email_status',
  'email_score',
  'email_safe_to_send',
  'email_deliverable',
  'email_reason',
  'email_repaired',
];

export function writeStandInList(
  { lines, delimiter }: StandInList,
  { statuses, format }: { statuses: string[] | undefined; format: string },
): string {
  const chosen = lines.filter(
    ({ row }) => row === undefined || statuses === undefined || statuses.includes(row.status ?? ''),
  );
  if (format === 'jsonl')
    return chosen.flatMap(({ row }) => (row === undefined ? [] : `${JSON.stringify(row)}\n`)).join('');
  return chosen
    .map(({ text, end, row }) => {
      const cells = row === undefined ? headings : cellsOf(row);
      return `${[text, ...cells].join(delimiter)}${end === '' ? '\n' : end}`;
    })
    .join('');
}

function cellsOf({ status, score, is_safe_to_send: safe, is_deliverable: deliverable, reason }: ListRow) {
  return [status, score, safe, deliverable, reason, null].map((value) =>
    value === null ? '' : String(value),
  );
}
