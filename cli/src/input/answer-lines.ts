import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { openInput } from './open-input.ts';
import { readLines, type Line } from './read-lines.ts';

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
