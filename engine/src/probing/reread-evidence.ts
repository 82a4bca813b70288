import type { CatchAllAnswer, MailboxEvidence, ReadReply } from '../evidence.ts';
import { defaultLimits } from '../limits.ts';
import { createReplyClassifier } from '../replies/classifier/create-reply-classifier.ts';
import type { ReplyMeaning, ReplyParties } from '../replies/meaning.ts';
import { providerOf } from '../replies/providers.ts';
import { sanitiseReply } from '../replies/sanitise-reply.ts';
import { catchAllAfter } from './catch-all-lookups.ts';
import { isWithoutReason } from './contrast.ts';

/**
 * Reads the replies in evidence again, by the rules of this process: a prober may run an older version, and a rule is
 * mended once, where verdicts are sold. What the prober made of them counts for its politeness alone. It has to report
 * replies as they were (`wholeReplies` of its engine); here they are cut to what explanations show.
 */
export type RereadEvidence = (evidence: MailboxEvidence, parties: ReplyParties) => MailboxEvidence;

export function createRereadEvidence(): RereadEvidence {
  const classify = createReplyClassifier(defaultLimits.replyMeanings);
  return (evidence, parties) => {
    const provider = evidence.host === undefined ? undefined : providerOf(evidence.host)?.id;
    const meaningOf = ({ code, enhanced, text }: ReadReply) =>
      classify({ code, enhanced, text, provider }, parties);
    const read =
      evidence.kind === 'answered' ? reread(evidence, meaningOf) : rereadRefusal(evidence, meaningOf);
    return { ...read, replies: evidence.replies.map(printable) };
  };
}

type MeaningOf = (reply: ReadReply) => ReplyMeaning;

function reread(evidence: MailboxEvidence & { kind: 'answered' }, meaningOf: MeaningOf): MailboxEvidence {
  const { contrast, ...rest } = evidence;
  const reply = evidence.replies.find(({ phase }) => phase === 'rcpt');
  if (reply === undefined) return evidence;
  const meaning = meaningOf(reply);
  const catchAll = rereadCatchAll(evidence, meaningOf);
  const read = { ...rest, meaning, catchAll };
  return contrast !== undefined && isWithoutReason({ meaning, read: reply }) ? { ...read, contrast } : read;
}

/** What was remembered, believed or found by asking twice did not come from one reply. */
function rereadCatchAll(
  { catchAll, replies }: MailboxEvidence & { kind: 'answered' },
  meaningOf: MeaningOf,
): CatchAllAnswer {
  const [reply, ...again] = replies.filter(({ phase }) => phase === 'random_rcpt');
  if (reply === undefined || again.length > 0) return catchAll;
  if (catchAll.kind !== 'undetermined' && catchAll.from !== 'random_probe') return catchAll;
  return catchAllAfter(meaningOf(reply));
}

/** Before the mailbox was named no refusal can be about it, whatever words it borrows. */
function rereadRefusal(
  evidence: MailboxEvidence & { kind: 'no_answer' },
  meaningOf: MeaningOf,
): MailboxEvidence {
  const [reply] = evidence.replies;
  if (reply === undefined || evidence.reason !== 'host_refused') return evidence;
  const meaning = meaningOf(reply);
  const isAboutUs = meaning.label === 'blocked_or_policy' || meaning.label === 'greylisted_or_temporary';
  return { ...evidence, meaning: isAboutUs ? meaning : undefined };
}

function printable(reply: ReadReply): ReadReply {
  return { ...reply, text: sanitiseReply(reply.text, defaultLimits.explainedReplyCharacters) };
}
