import type { ReadReply, SmtpPhase } from '../evidence.ts';
import type { Limits } from '../limits.ts';
import type { ReplyClassifier } from '../replies/classifier/create-reply-classifier.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { providerOf } from '../replies/providers.ts';
import { sanitiseReply } from '../replies/sanitise-reply.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/** What a reply means coming from this host, and the form in which it is kept for the explanation. */
export type Interpretation = { meaning: ReplyMeaning; read: ReadReply };

type InterpretParts = { limits: Limits; classify: ReplyClassifier };

export function interpretReply(
  { phase, reply }: { phase: SmtpPhase; reply: Reply },
  host: CanonicalHost,
  { limits, classify }: InterpretParts,
): Interpretation {
  const { code, enhanced, lines } = reply;
  const text = lines.join(' ').trim();
  return {
    meaning: classify({ code, enhanced, text, provider: providerOf(host)?.id }),
    read: { phase, code, enhanced, text: sanitiseReply(text, limits.explainedReplyCharacters) },
  };
}
