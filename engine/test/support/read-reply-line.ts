import type { ReplyToClassify } from '../../src/replies/meaning.ts';

const replyLine = /^(?<code>\d{3}) (?:(?<enhanced>\d\.\d{1,3}\.\d{1,3}) )?(?<text>.*)$/u;

/** A reply as it comes off the wire, on one line: code, perhaps an enhanced code, text. */
export function readReplyLine(line: string, provider?: string): ReplyToClassify {
  const groups = replyLine.exec(line)?.groups;
  if (groups === undefined) throw new Error(`not a reply: ${line}`);
  const { code, enhanced, text = '' } = groups;
  return { code: Number(code), enhanced, text, provider };
}
