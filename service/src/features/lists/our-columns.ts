import type { List } from './list.ts';
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
export function ourHeadings(theirs: readonly string[], list: Pick<List, 'mode' | 'suggestions'>): string[] {
  const ours = [
    ...names,
    ...(hasSuggestions(list) ? ['email_did_you_mean'] : []),
    ...(isSandbox(list) ? ['email_sandbox'] : []),
  ];
  for (let run = 1; ; run += 1) {
    const headings = ours.map((name) => (run === 1 ? name : `${name}_${run}`));
    if (!headings.some((heading) => theirs.includes(heading))) return headings;
  }
}

export function ourCells(result: RowResult, list: Pick<List, 'mode' | 'suggestions'>): string[] {
  const { status, score, safeToSend, deliverable, reason, repaired, didYouMean } = result;
  return [
    status ?? '',
    score === null ? '' : String(score),
    yesNo(safeToSend),
    yesNo(deliverable),
    reason,
    repaired ?? '',
    ...(hasSuggestions(list) ? [didYouMean ?? ''] : []),
    ...(isSandbox(list) ? ['true'] : []),
  ];
}

/** Most lists have none, and are spared a column that would be empty. */
function hasSuggestions({ suggestions }: Pick<List, 'suggestions'>): boolean {
  return suggestions.length > 0;
}

function isSandbox({ mode }: Pick<List, 'mode'>): boolean {
  return mode === 'test';
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
