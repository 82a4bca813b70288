import { fromByteText } from './byte-text.ts';

/** A cell as text. Cells are bytes, one in each character; what is ASCII alone is the same in both. */
export function decodeCell(cell: string): string {
  if (!/[\u0080-\u00ff]/.test(cell)) return cell;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(fromByteText(cell));
}
