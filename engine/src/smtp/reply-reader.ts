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

type ReaderState = { partial: string; line: { code: number; lines: string[]; bytes: number } | undefined };

export function createReplyReader(limits: Limits): ReplyReader {
  const ready: Reply[] = [];
  const state: ReaderState = { partial: '', line: undefined };
  let receivedBytes = 0;
  let broken = false;

  function readLine(line: string): boolean {
    const parsed = parseLine(line, limits);
    if (parsed === undefined) return false;
    const reply = state.line ?? { code: parsed.code, lines: [], bytes: 0 };
    reply.code = parsed.code;
    reply.lines.push(parsed.text);
    reply.bytes += line.length + 2;
    state.line = reply;
    if (reply.lines.length > limits.replyLines || reply.bytes > limits.replyBytes) return false;
    if (parsed.more) return true;
    ready.push(finishReply(reply));
    state.line = undefined;
    return true;
  }

  function push(bytes: Buffer): boolean {
    receivedBytes += bytes.length;
    if (broken || receivedBytes > limits.conversationBytes) return !(broken = true);
    const lines = (state.partial + bytes.toString('latin1')).split('\n');
    state.partial = lines.pop() ?? '';
    broken = state.partial.length > limits.replyLineBytes || !lines.every(readLine);
    return !broken;
  }

  return {
    push,
    take: () => ready.shift(),
    isEmpty: () => ready.length === 0 && state.partial === '' && state.line === undefined,
  };
}

const lineShape = /^([2-5]\d\d)(?:([ -])(.*))?$/s;

function parseLine(line: string, limits: Limits): { code: number; more: boolean; text: string } | undefined {
  if (line.length > limits.replyLineBytes) return undefined;
  const match = lineShape.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (match?.[1] === undefined || line.includes('\0')) return undefined;
  return { code: Number(match[1]), more: match[2] === '-', text: match[3] ?? '' };
}

const enhancedShape = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;

function finishReply({ code, lines }: { code: number; lines: string[] }): Reply {
  const stripped = lines.map((line) => {
    const found = enhancedShape.exec(line)?.[1];
    return found?.startsWith(String(code)[0] ?? '') === true
      ? { enhanced: found, text: line.slice(found.length).trimStart() }
      : { enhanced: undefined, text: line };
  });
  return {
    code,
    enhanced: stripped.find((line) => line.enhanced !== undefined)?.enhanced,
    lines: stripped.map((line) => line.text),
  };
}
