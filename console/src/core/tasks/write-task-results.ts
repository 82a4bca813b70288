import type { BulkResultRecord } from '@mailproof/client';

const headings = [
  'email',
  'email_status',
  'email_score',
  'email_safe_to_send',
  'email_deliverable',
  'email_reason',
] as const;

/** Returns the results of a task as CSV (RFC 4180, UTF-8). */
export function writeTaskResults(results: readonly BulkResultRecord[]): string {
  return [headings, ...results.map(cellsOf)].map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('');
}

function cellsOf(record: BulkResultRecord): string[] {
  const { email, status, overall_score: score, explanation } = record;
  return [
    email,
    status,
    score === undefined ? '' : String(score),
    yesNo(record.is_safe_to_send),
    yesNo(record.is_deliverable),
    explanation?.reason ?? '',
  ];
}

function yesNo(value: boolean | undefined): string {
  return value === undefined ? '' : String(value);
}

/** Writes a cell. Spreadsheets run text that begins like a formula, as an address may; an apostrophe prevents that. */
function writeCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
