/** How a text is laid out: within `columns`, the first line led by `first`, the others by `indent`. */
type Layout = { columns: number; first?: string; indent?: string };

/** Breaks a text at spaces. A word longer than the line gets a line to itself and is not cut. */
export function wrap(text: string, { columns, first = '', indent = '' }: Layout): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
