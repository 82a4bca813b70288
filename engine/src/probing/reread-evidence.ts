import type { CatchAllAnswer, MailboxEvidence, ReadReply } from '../evidence.ts';
import { defaultLimits } from '../limits.ts';
import { classifyReply } from '../replies/classifier/classify-reply.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { providerOf } from '../replies/providers.ts';
import { condemnsMailbox } from '../replies/rules/rule.ts';
import { acceptsRecipient } from '../smtp/conversation.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Probe } from './prober.ts';

/**
 * Rereads evidence from a prober elsewhere by the rules of this process. The process that gives the verdict reads the
 * replies once more, so that a rule is mended in one place and not on every prober.
 *
 * It knows less than the prober did: neither the names by which that introduced itself, nor the missing part of a
 * reply that was cut. So it never condemns a mailbox that the prober did not condemn, and leaves the meaning of a
 * reply that was cut as it came.
 */
export function rereadEvidence(
  evidence: MailboxEvidence,
  { address }: Pick<Probe, 'address'>,
): MailboxEvidence {
  if (evidence.kind === 'no_answer') return rereadRefusal(evidence, address);
  const { host, replies, meaning } = evidence;
  const answer = replies.find(({ phase }) => phase === 'rcpt');
  const isContradicted = answer !== undefined && meaning.label === 'accepted' && !acceptsRecipient(answer);
  if (answer === undefined || isContradicted) return withoutProof(evidence);
  const recipient = `${address.localPart}@${address.host}`;
  return {
    ...evidence,
    meaning: reread(answer, { host, recipient, before: meaning }),
    catchAll: rereadCatchAll(evidence),
  };
}

type Answered = MailboxEvidence & { kind: 'answered' };
type Refused = MailboxEvidence & { kind: 'no_answer' };

/** Drops an answer without the reply it was read from, or against it: it proves nothing. */
function withoutProof({ host, replies }: Answered): Refused {
  return { kind: 'no_answer', reason: 'protocol_error', meaning: undefined, connected: true, host, replies };
}

function rereadRefusal(evidence: Refused, address: Probe['address']): Refused {
  const [reply] = evidence.replies;
  const { host, meaning: before } = evidence;
  const isShown = evidence.reason !== 'hosts_take_no_mail' || reply?.code === 521;
  const isNeeded = evidence.reason !== 'no_host_offers_smtputf8' || address.needsSmtputf8;
  if (!isShown || !isNeeded) return { ...evidence, reason: 'protocol_error' };
  if (reply === undefined || host === undefined || before === undefined) return evidence;
  const meaning = reread(reply, { host, recipient: undefined, before });
  return condemnsMailbox(meaning.label) ? evidence : { ...evidence, meaning };
}

/**
 * Rereads the answer about a made-up address. Only its refusal as unknown depends on rules. Answers that were
 * remembered, compared or heard in another conversation cannot be read again from the replies of this one.
 */
function rereadCatchAll({ catchAll, replies, host }: Answered): CatchAllAnswer {
  const [reply, ...again] = replies.filter(({ phase }) => phase === 'random_rcpt');
  if (catchAll.kind !== 'no' || catchAll.from !== 'random_probe') return catchAll;
  if (reply === undefined || again.length > 0) return catchAll;
  if (acceptsRecipient(reply)) return { kind: 'yes', from: 'random_probe' };
  if (reply.code < 500) return catchAll;
  const before: ReplyMeaning = { label: 'mailbox_not_exist', reason: 'unknown_user' };
  const meaning = reread(reply, { host, recipient: undefined, before });
  return meaning.label === 'mailbox_not_exist' ? catchAll : { kind: 'undetermined', meaning };
}

type ReadBefore = { host: CanonicalHost; recipient: string | undefined; before: ReplyMeaning };

function reread({ code, enhanced, text }: ReadReply, { host, recipient, before }: ReadBefore): ReplyMeaning {
  // Cut, or with characters that were not kept. The length in units is never below the length in code points.
  if (text.length >= defaultLimits.explainedReplyCharacters || text.includes('?')) return before;
  const parties = recipient === undefined ? undefined : { sender: '', heloName: '', recipient };
  const meaning = classifyReply({ code, enhanced, text, provider: providerOf(host)?.id }, parties);
  return condemnsMailbox(meaning.label) && !condemnsMailbox(before.label) ? before : meaning;
}
