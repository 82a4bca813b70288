import type { ReadReply, SmtpPhase } from '../evidence.ts';
import type { Limits } from '../limits.ts';
import { classifyReply } from '../replies/classify-reply.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { providerOf } from '../replies/providers.ts';
import { sanitiseReply } from '../replies/sanitise-reply.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Reply } from '../smtp/reply-reader.ts';

/** What was read in one conversation, and what it means coming from this host. */
type Journal = {
  replies: ReadReply[];
  /** Keeps a reply for the explanation and says what it means. */
  note(phase: SmtpPhase, reply: Reply): ReplyMeaning;
};

export function startJournal(host: CanonicalHost, limits: Limits): Journal {
  const replies: ReadReply[] = [];
  const provider = providerOf(host)?.id;
  return {
    replies,
    note(phase, { code, enhanced, lines }) {
      const text = lines.join(' ').trim();
      if (replies.length < limits.explainedReplies) {
        replies.push({ phase, code, enhanced, text: sanitiseReply(text, limits.explainedReplyCharacters) });
      }
      return classifyReply({ code, enhanced, text, provider });
    },
  };
}
