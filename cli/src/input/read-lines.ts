import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { exitCodes, type ExitCode, type Surroundings } from '../command.ts';

/** The source of lines: a file, or the standard input as `-`. */
type OpenedInput = { kind: 'opened'; stream: Readable } | { kind: 'cannot_open'; why: string };

export async function openInput(path: string, { terminal, signal }: Surroundings): Promise<OpenedInput> {
  if (path === '-') {
    if (terminal.inputIsTerminal)
      terminal.tell('Reading from the terminal, one line at a time. Press Ctrl-D to finish.');
    return { kind: 'opened', stream: addAbortSignal(signal, terminal.input) };
  }
  try {
    const file = await open(path);
    if ((await file.stat()).isDirectory()) {
      await file.close();
      return { kind: 'cannot_open', why: `${path} is a directory` };
    }
    return { kind: 'opened', stream: addAbortSignal(signal, file.createReadStream()) };
  } catch (error) {
    return { kind: 'cannot_open', why: `Cannot read ${path}: ${describeError(error)}` };
  }
}

function describeError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EACCES') return 'permission denied';
  return error instanceof Error ? error.message : String(error);
}

/** A line of the input, numbered from 1, or the place of one that is too long to be held. */
export type Line = { kind: 'line'; number: number; text: string } | { kind: 'too_long'; number: number };

/** Longer than any address or reply, short enough that a file without line ends does no harm. */
export const lineCharactersMax = 65_536;

/**
 * Yields the lines of a stream in groups, as they arrive together. So a person who types line by line is answered at
 * once, and a large file is read fast. Holds one chunk and one unfinished line.
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

/** The answer to one line of JSON, or what is wrong with the line. */
export type LineAnswer = { kind: 'answer'; answer: object } | { kind: 'bad_line'; why: string };

/**
 * The frame of a command that answers JSON with JSON, a line for a line. A line that cannot be read is
 * told with its number and passed over; the others are answered all the same.
 */
export async function answerLines(
  path: string,
  answer: (row: Record<string, unknown>) => LineAnswer,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { terminal } = surroundings;
  const input = await openInput(path, surroundings);
  if (input.kind === 'cannot_open') {
    terminal.tell(`mailproof: ${input.why}`);
    return exitCodes.usage;
  }
  let code: ExitCode = exitCodes.ok;
  for await (const lines of readLines(input.stream)) {
    let output = '';
    for (const line of lines) {
      if (line.kind === 'line' && line.text.trim() === '') continue;
      const result = answerLine(line, answer);
      if (result.kind === 'answer') {
        output += `${JSON.stringify(result.answer)}\n`;
      } else {
        terminal.tell(`mailproof: line ${line.number}: ${result.why}`);
        code = exitCodes.found;
      }
    }
    if (output !== '') await terminal.write(output);
  }
  return code;
}

function answerLine(line: Line, answer: (row: Record<string, unknown>) => LineAnswer): LineAnswer {
  if (line.kind === 'too_long') return { kind: 'bad_line', why: 'the line is too long' };
  let row: unknown;
  try {
    row = JSON.parse(line.text);
  } catch {
    return { kind: 'bad_line', why: 'not valid JSON' };
  }
  return isObject(row) ? answer(row) : { kind: 'bad_line', why: 'not a JSON object' };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
