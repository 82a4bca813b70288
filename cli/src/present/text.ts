/** 1,234,567, the same everywhere. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** 1 address, 2 addresses. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** In the two largest units that matter. */
export function duration(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 0);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/**
 * A stranger's text, safe to show on a terminal. Control characters move the cursor and rewrite what was
 * said; format characters turn the direction of writing around. Each is shown as what it is.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `\\u{${point.toString(16)}}`;
  });
}

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
