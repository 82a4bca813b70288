import { isUtf8 } from 'node:buffer';
import type { Limits } from '../limits.ts';

/**
 * Reads SMTP replies off a stream of bytes, with a cap on everything a hostile host could make grow.
 *
 * A reply is one or more lines of three digits followed by a hyphen (more lines follow), a space or the end of the
 * line (RFC 5321 section 4.2.1). As in Postfix a bare LF ends a line too, and the last line's code counts. Anything
 * else is a protocol error, and the reader stays broken.
 */
export type Reply = {
  code: number;
  /** The enhanced status code (RFC 3463) at the head of the text, if its class agrees with the code. */
  enhanced: string | undefined;
  /** The text of each line without code and enhanced code: UTF-8 if the line is valid UTF-8, otherwise Latin-1. */
  lines: string[];
};

export class ReplyReader {
  private readonly limits: Limits;
  private readonly ready: Reply[] = [];
  /** The unfinished line. Text is one character a byte until its reply is whole: limits are in bytes. */
  private partial = '';
  /** The lines of the unfinished reply so far. */
  private lines: string[] | undefined;
  private replyBytes = 0;
  private receivedBytes = 0;
  private broken = false;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Takes bytes as they come. Returns false once the stream is not SMTP any more. */
  push(bytes: Buffer): boolean {
    this.receivedBytes += bytes.length;
    if (this.broken || this.receivedBytes > this.limits.conversationBytes) return !(this.broken = true);
    const text = this.partial + bytes.toString('latin1');
    const nul = text.indexOf('\0');
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0 && !this.broken; end = text.indexOf('\n', start)) {
      this.broken = (nul >= 0 && nul < end) || !this.readLine(text, start, end);
      start = end + 1;
    }
    this.partial = text.slice(start);
    this.broken ||= this.partial.length > this.limits.replyLineBytes;
    return !this.broken;
  }

  /** Returns the next whole reply, if one has arrived. */
  take(): Reply | undefined {
    return this.ready.shift();
  }

  /** Whether everything that arrived was taken: no reply is left, and no part of one. */
  isEmpty(): boolean {
    return this.ready.length === 0 && this.partial === '' && this.lines === undefined;
  }

  /** Reads the line from `start` to its LF at `end`, and no character outside it. */
  private readLine(text: string, start: number, end: number): boolean {
    const { limits } = this;
    const textEnd = text.charCodeAt(end - 1) === CR ? end - 1 : end;
    const code = codeOf(text, start, textEnd);
    if (code === undefined || end - start > limits.replyLineBytes) return false;
    const line = text.slice(start + textAt, textEnd);
    if (this.lines === undefined) {
      this.lines = [line];
      this.replyBytes = 0;
    } else this.lines.push(line);
    this.replyBytes += end - start + 2;
    if (this.lines.length > limits.replyLines || this.replyBytes > limits.replyBytes) return false;
    if (text.charCodeAt(start + codeDigits) === HYPHEN) return true;
    this.ready.push(finishReply(code, this.lines));
    this.lines = undefined;
    return true;
  }
}

const CR = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const codeDigits = 3;
const textAt = 4;

/**
 * Reads three digits, the first from 2 to 5, and then a space, a hyphen or the end of the line, which is at `end`. A
 * line that is shorter shows its CR or LF in place of a digit.
 */
function codeOf(text: string, start: number, end: number): number | undefined {
  const first = text.charCodeAt(start) - ZERO;
  const second = text.charCodeAt(start + 1) - ZERO;
  const third = text.charCodeAt(start + 2) - ZERO;
  const after = text.charCodeAt(start + codeDigits);
  if (!(first >= 2 && first <= 5 && second >= 0 && second <= 9 && third >= 0 && third <= 9)) return undefined;
  if (end > start + codeDigits && after !== SPACE && after !== HYPHEN) return undefined;
  return 100 * first + 10 * second + third;
}

const enhancedShape = /^[245]\.\d{1,3}\.\d{1,3}(?:\s|$)/;
const whitespace = /\s/;

/** Makes the reply. An enhanced code whose class is not that of the reply is not believed, and stays in the text. */
function finishReply(code: number, lines: string[]): Reply {
  const firstDigit = ZERO + Math.floor(code / 100);
  let enhanced: string | undefined;
  for (let index = 0; index < lines.length; index += 1) {
    const line = decodeLine(lines[index] ?? '');
    lines[index] = line;
    if (line.charCodeAt(0) !== firstDigit || line.charCodeAt(1) !== DOT) continue;
    if (!enhancedShape.test(line)) continue;
    const end = line.search(whitespace);
    enhanced ??= end < 0 ? line : line.slice(0, end);
    lines[index] = end < 0 ? '' : line.slice(end).trimStart();
  }
  return { code, enhanced, lines };
}

const beyondAscii = /[\x80-\xff]/;

/**
 * Decodes a line. RFC 6531 section 3.7.4.2 makes replies UTF-8. Older servers use the code page of their country,
 * mostly Latin-1.
 */
function decodeLine(line: string): string {
  if (!beyondAscii.test(line)) return line;
  const bytes = Buffer.from(line, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : line;
}
