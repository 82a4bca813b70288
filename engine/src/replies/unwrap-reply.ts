/**
 * Gateways and relays quote the reply they got from the host behind them:
 * `550 5.1.1 undeliverable address: host mx.example[192.0.2.1] said: 552 5.2.2 mailbox full`. What the inner host said
 * is the news, unless the outer words complain about the sender or the client: then the host behind was asked about us.
 */

type WrappedReply = { code: number; enhanced: string | undefined; text: string };

/** The innermost reply that is quoted, and the words around it: the innermost is the reply itself where none is. */
type UnwrappedReply = { innermost: WrappedReply; around: string };

/** A relay may quote a relay; nobody quotes deeper than this in practice. */
const maxDepth = 4;

/**
 * The words that announce a quoted reply, then the reply itself: three digits, perhaps an enhanced status code.
 * The announcement stands close before the digits, so that a number in running text is not taken for a code.
 */
const announcedReply =
  /(?:\b(?:said|refused to talk to me|responded|responds|replied|answered|answer|returned|response|error|reply|was|with|after rcpt to:?<[^<>\s]{1,320}>|host [^\s:]{1,255}(?: \[[^\s\]]{1,45}\])?)\s?:|\bsmtp;|<<<|->)\s{0,3}["'(]?(?:smtp; ?)?([245]\d\d)(?:[\s-]#?([245]\.\d{1,3}\.\d{1,3}))?[\s:-]/i;

export function unwrapReply(reply: WrappedReply): UnwrappedReply {
  let innermost = reply;
  let around = '';
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const match = announcedReply.exec(innermost.text);
    if (match?.[1] === undefined) break;
    around += ` ${innermost.text.slice(0, match.index)}`;
    innermost = {
      code: Number(match[1]),
      enhanced: match[2],
      text: innermost.text.slice(match.index + match[0].length).trim(),
    };
  }
  return { innermost, around: around.trim() };
}
