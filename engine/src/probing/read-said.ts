import type { SmtpPhase } from '../evidence.ts';
import type { Limits } from '../limits.ts';
import type { ReplyClassifier } from '../replies/classifier/create-reply-classifier.ts';
import { providerOf } from '../replies/providers.ts';
import { sanitiseReply } from '../replies/sanitise-reply.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Said } from './conclude.ts';

/** A reply and the phase of the conversation it belongs to; the recipient, if it answers for one. */
export type HeardReply = { phase: SmtpPhase; reply: Reply; recipient?: string };

/** By what names we spoke, and to whom. */
type Speakers = {
  host: CanonicalHost;
  mailFrom: string;
  heloName: string;
  egressAddress: string | undefined;
};

/** Reads a reply of a host, which may name the recipient or us. */
export function readSaid(
  { phase, reply, recipient }: HeardReply,
  { host, mailFrom: sender, heloName, egressAddress }: Speakers,
  { classify, limits }: { classify: ReplyClassifier; limits: Limits },
): Said {
  const { code, enhanced, lines } = reply;
  const text = lines.join(' ').trim();
  const kept = sanitiseReply(text, limits.explainedReplyCharacters);
  const provider = providerOf(host)?.id;
  const named = recipient === undefined ? undefined : { sender, heloName, egressAddress, recipient };
  const meaning = classify({ code, enhanced, text, provider }, named);
  return { meaning, read: { phase, code, enhanced, text: kept }, text };
}
