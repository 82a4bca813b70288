import type { ReadReply, SmtpPhase } from '../evidence.ts';
import type { Limits } from '../limits.ts';
import { classifyReply } from '../replies/classify-reply.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { providerOf } from '../replies/providers.ts';
import { sanitiseReply } from '../replies/sanitise-reply.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/** What a reply means coming from this host, and the form in which it is kept for the explanation. */
export function interpretReply(
  { phase, reply }: { phase: SmtpPhase; reply: Reply },
  { host, limits }: { host: CanonicalHost; limits: Limits },
): { meaning: ReplyMeaning; read: ReadReply } {
  const { code, enhanced, lines } = reply;
  const text = lines.join(' ').trim();
  return {
    meaning: classifyReply({ code, enhanced, text, provider: providerOf(host)?.id }),
    read: { phase, code, enhanced, text: sanitiseReply(text, limits.explainedReplyCharacters) },
  };
}
