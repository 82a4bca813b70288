/**
 * Gateways and relays quote the reply they got from the host behind them:
 * `550 5.1.1 undeliverable address: host mx.example[192.0.2.1] said: 552 5.2.2 mailbox full`. What the inner host said
 * is the news; what the outer one makes of it is hearsay. This reads such a reply from the inside.
 */

type WrappedReply = { code: number; enhanced: string | undefined; text: string };

/** A relay may quote a relay; nobody quotes deeper than this in practice. */
const maxDepth = 4;

/**
 * The words that announce a quoted reply, then the reply itself: three digits, perhaps an enhanced status code.
 * The announcement stands close before the digits, so that a number in running text is not taken for a code.
 */
const announcedReply =
  /(?:\b(?:said|refused to talk to me|responded|responds|replied|answered|answer|returned|response|error|reply|was|with|after rcpt to:?<[^<>\s]{1,320}>|host [^\s:]{1,255}(?: \[[^\s\]]{1,45}\])?)\s?:|\bsmtp;|<<<|->)\s{0,3}["'(]?(?:smtp; ?)?([245]\d\d)(?:[\s-]#?([245]\.\d{1,3}\.\d{1,3}))?[\s:-]/i;

/** The innermost reply that `reply` quotes, or `reply` itself where it quotes none. */
export function unwrapReply(reply: WrappedReply): WrappedReply {
  let innermost = reply;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const quoted = quotedReply(innermost.text);
    if (quoted === undefined) return innermost;
    innermost = quoted;
  }
  return innermost;
}

function quotedReply(text: string): WrappedReply | undefined {
  const match = announcedReply.exec(text);
  if (match?.[1] === undefined) return undefined;
  return {
    code: Number(match[1]),
    enhanced: match[2],
    text: text.slice(match.index + match[0].length).trim(),
  };
}
