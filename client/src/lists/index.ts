/**
 * Lists as people have them, CSV, TSV or one address a line: read as they stand and given back byte for byte with the
 * answers in columns of their own. The command line and the console both go by this. Nothing here needs Node.
 */
export { fromByteText, toByteText } from './byte-text.ts';
export { decodeCell } from './decode-cell.ts';
export { findLayout, sampleBytes, type FoundLayout, type Layout, type ListSample } from './find-layout.ts';
export { keepAnswer, type KeptAnswer } from './kept-answer.ts';
export { ListProblem } from './list-problem.ts';
export { ourCells, ourHeadings, widenRow, writeCell } from './our-columns.ts';
export { createRowReader, type Row } from './read-rows.ts';
export { createRowPlaces, type RowPlace, type RowPlaces } from './row-places.ts';
export { addressKey } from '../address-key.ts';
