/** A cell as text. Cells are bytes, one in each character; what is ASCII alone is the same in both. */
export function decodeCell(cell: string): string {
  return /[\u0080-\u00ff]/.test(cell) ? Buffer.from(cell, 'latin1').toString('utf8') : cell;
}
