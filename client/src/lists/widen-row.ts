import { quoteCell, writeCell } from './our-columns.ts';
import type { Row } from './read-rows.ts';

/**
 * A row with our cells. One that is shorter than the widest gets empty cells in between, so that ours stand under each
 * other; a wholly empty line stays what it is. A line of a plain list becomes the first cell of a CSV.
 */
export function widenRow(
  { text, end, cells }: Row,
  ours: string[],
  { delimiter, width }: { delimiter: string | undefined; width: number },
): string {
  if (text === '') return end;
  const between = delimiter ?? ',';
  const theirs = delimiter === undefined ? quoteCell(text, between) : text;
  const gap = between.repeat(width - cells.length);
  return `${theirs}${gap}${between}${ours.map((cell) => writeCell(cell, between)).join(between)}${end}`;
}
