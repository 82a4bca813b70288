import type { BulkResultRecord } from '@mailproof/client';
import { keepAnswer, ourCells, ourHeadings, writeCell } from '@mailproof/client/lists';

/** The results of a task as CSV (RFC 4180, UTF-8), formulas defused: an address may begin with `=` and be one. */
export function writeTaskResults(results: readonly BulkResultRecord[]): string {
  const rows = results.map((record) => [
    record.email,
    ...ourCells({ kind: 'address', number: 0 }, () => keepAnswer(record)),
  ]);
  return [['email', ...ourHeadings(['email'])], ...rows]
    .map((cells) => `${cells.map((cell) => writeCell(cell, ',')).join(',')}\r\n`)
    .join('');
}
