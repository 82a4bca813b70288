import type { RowResult } from './row-result.ts';

/** The columns that are added to a list, in this order. docs/checking-lists.md explains them. */
const names = [
  'email_status',
  'email_score',
  'email_safe_to_send',
  'email_deliverable',
  'email_reason',
  'email_repaired',
] as const;

/** Their headings; where the list has one of them already, as a checked list has, all get the next free number. */
export function ourHeadings(theirs: readonly string[], isSandbox: boolean): string[] {
  const ours = isSandbox ? [...names, 'email_sandbox'] : names;
  for (let run = 1; ; run += 1) {
    const headings = ours.map((name) => (run === 1 ? name : `${name}_${run}`));
    if (!headings.some((heading) => theirs.includes(heading))) return headings;
  }
}

export function ourCells(result: RowResult, isSandbox: boolean): string[] {
  const { status, score, safeToSend, deliverable, reason, repaired } = result;
  const cells = [
    status ?? '',
    score === null ? '' : String(score),
    yesNo(safeToSend),
    yesNo(deliverable),
    reason,
    repaired ?? '',
  ];
  return isSandbox ? [...cells, 'true'] : cells;
}

function yesNo(value: boolean | null): string {
  return value === null ? '' : String(value);
}

/**
 * Spreadsheets run what begins like a formula, and the words come from strangers' files and servers: an apostrophe before
 * it makes it text. Only our own cells are ever touched in this way.
 */
export function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
