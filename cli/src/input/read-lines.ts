import type { Readable } from 'node:stream';

/** A line of the input, numbered from 1, or the place of one that is too long to be held. */
export type Line = { kind: 'line'; number: number; text: string } | { kind: 'too_long'; number: number };

/** Longer than any address or reply, short enough that a file without line ends does no harm. */
export const lineCharactersMax = 65_536;

/**
 * The lines of a stream, as many at a time as came in together: whoever answers a group at once answers
 * a person typing line by line and a large file equally well. Holds one chunk and one unfinished line.
 */
export async function* readLines(stream: Readable): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder();
  const splitter = createSplitter();
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('lines are read from a stream of bytes');
    const lines = splitter.split(decoder.decode(chunk, { stream: true }));
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end(decoder.decode());
  if (last.length > 0) yield last;
}

function createSplitter() {
  let number = 0;
  let unfinished = '';
  let tooLong = false;

  function finish(text: string): Line {
    number += 1;
    const line: Line =
      tooLong || text.length > lineCharactersMax
        ? { kind: 'too_long', number }
        : { kind: 'line', number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
    tooLong = false;
    return line;
  }

  function split(text: string): Line[] {
    const pieces = (unfinished + text).split('\n');
    unfinished = pieces.pop() ?? '';
    const lines = pieces.map(finish);
    if (unfinished.length > lineCharactersMax) {
      tooLong = true;
      unfinished = '';
    }
    return lines;
  }

  function end(text: string): Line[] {
    const lines = split(text);
    return unfinished === '' && !tooLong ? lines : [...lines, finish(unfinished)];
  }

  return { split, end };
}
