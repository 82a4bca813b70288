import type { Limits } from '../limits.ts';

/**
 * Reads SMTP replies off a stream of bytes, with a cap on everything a hostile host could make grow.
 *
 * A reply is one or more lines of three digits followed by a hyphen (more lines follow), a space or
 * the end of the line (RFC 5321 section 4.2.1). As in Postfix a bare LF ends a line too, and the last
 * line's code counts. Whatever else arrives is a protocol error, and the reader stays broken.
 */
export type Reply = {
  code: number;
  /** The enhanced status code (RFC 3463) at the head of the text, where its class agrees with the code. */
  enhanced: string | undefined;
  /** The text of each line without code and enhanced code; bytes beyond ASCII read as Latin-1. */
  lines: string[];
};

type ReplyReader = {
  /** Takes bytes as they come. Answers false once the stream is no SMTP any more. */
  push(bytes: Buffer): boolean;
  /** The next whole reply, if one has arrived. */
  take(): Reply | undefined;
  /** True while nothing has arrived that nobody has taken: no reply, no part of one. */
  isEmpty(): boolean;
};

type OpenReply = { code: number; lines: string[]; bytes: number };

export function createReplyReader(limits: Limits): ReplyReader {
  const ready: Reply[] = [];
  /** The line, and the reply, of which more is to come. */
  let partial = '';
  let open: OpenReply | undefined;
  let receivedBytes = 0;
  let broken = false;

  function readLine(line: string): boolean {
    const end = line.endsWith('\r') ? line.length - 1 : line.length;
    const code = codeOf(line, end);
    if (line.length > limits.replyLineBytes || code === undefined || line.includes('\0')) return false;
    const reply = (open ??= { code, lines: [], bytes: 0 });
    reply.code = code;
    reply.lines.push(line.slice(textAt, end));
    reply.bytes += line.length + 2;
    if (reply.lines.length > limits.replyLines || reply.bytes > limits.replyBytes) return false;
    if (line.charCodeAt(codeDigits) === HYPHEN) return true;
    ready.push(finishReply(reply));
    open = undefined;
    return true;
  }

  function push(bytes: Buffer): boolean {
    receivedBytes += bytes.length;
    if (broken || receivedBytes > limits.conversationBytes) return !(broken = true);
    const text = partial + bytes.toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0 && !broken; end = text.indexOf('\n', start)) {
      broken = !readLine(text.slice(start, end));
      start = end + 1;
    }
    partial = text.slice(start);
    broken ||= partial.length > limits.replyLineBytes;
    return !broken;
  }

  return {
    push,
    take: () => ready.shift(),
    isEmpty: () => ready.length === 0 && partial === '' && open === undefined,
  };
}

const SPACE = 0x20;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const codeDigits = 3;
const textAt = 4;

/** Three digits, the first from 2 to 5, and then a space, a hyphen or the end of the line, which is at `end`. */
function codeOf(line: string, end: number): number | undefined {
  const first = line.charCodeAt(0) - ZERO;
  const second = line.charCodeAt(1) - ZERO;
  const third = line.charCodeAt(2) - ZERO;
  const after = line.charCodeAt(codeDigits);
  if (!(first >= 2 && first <= 5 && second >= 0 && second <= 9 && third >= 0 && third <= 9)) return undefined;
  if (end > codeDigits && after !== SPACE && after !== HYPHEN) return undefined;
  return 100 * first + 10 * second + third;
}

const enhancedShape = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;

/** A code whose class is not that of the reply is not believed, and stays in the text. */
function finishReply({ code, lines }: OpenReply): Reply {
  const firstDigit = ZERO + Math.floor(code / 100);
  let enhanced: string | undefined;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.charCodeAt(0) !== firstDigit || line.charCodeAt(1) !== DOT) continue;
    const found = enhancedShape.exec(line)?.[1];
    if (found === undefined) continue;
    enhanced ??= found;
    lines[index] = line.slice(found.length).trimStart();
  }
  return { code, enhanced, lines };
}
