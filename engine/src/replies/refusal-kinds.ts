/**
 * Questions about a reply that matter where two recipients are compared in one conversation: what one answer leaves
 * open, another beside it may settle, but only if neither is about us. And one that matters for when a host is left
 * alone: whether it complains about us.
 */
import type { ReplyMeaning } from './meaning.ts';
import type { ReplyReason } from './reply-reasons.ts';

/** Reasons that lie with whoever asks, or may: they say nothing of the mailbox, and nothing of any other. */
const aboutUs: ReadonlySet<string> = new Set<ReplyReason>([
  'listed_by_blocklist',
  'bad_reputation',
  'no_reverse_dns',
  'helo_refused',
  'client_refused',
  'sender_refused',
  'sender_authentication_failed',
  'authentication_required',
  'tls_required',
  'rate_limited',
  'spam_suspected',
  'malware_suspected',
  'message_too_large',
  'content_refused',
  'policy',
  'speaks_of_us',
  'unavailable_or_denied',
]);

export function isAboutUs({ reason }: ReplyMeaning): boolean {
  return aboutUs.has(reason);
}

/** Complaints that no recipient's domain can provoke by how it is set up: they name us, our address or our sender. */
const complaints: ReadonlySet<string> = new Set<ReplyReason>([
  'listed_by_blocklist',
  'bad_reputation',
  'no_reverse_dns',
  'helo_refused',
  'client_refused',
  'sender_refused',
  'sender_authentication_failed',
  'rate_limited',
  'spam_suspected',
  'speaks_of_us',
]);

/**
 * Whether a host refuses us in words or codes that say so. Relaying denied is about the recipient's domain, a policy is
 * whoever's it may be, and "unavailable or denied" is also said of mailboxes that do not exist.
 */
export function complainsAboutUs({ label, reason }: ReplyMeaning): boolean {
  return label === 'blocked_or_policy' && complaints.has(reason);
}

/** Refused for good in words that neither give a reason nor speak of us: `550 Rejected`, OpenSMTPD's 524. */
export function refusesWithoutReason({ reason }: ReplyMeaning): boolean {
  return reason === ('refused_without_reason' satisfies ReplyReason) || reason === 'unexplained';
}

/** A soft bounce: deferred in words that say "unknown"; never greylisting, nor a verification still under way. */
export function defersAsUnknown({ reason }: ReplyMeaning): boolean {
  return reason === ('unknown_for_now' satisfies ReplyReason);
}
