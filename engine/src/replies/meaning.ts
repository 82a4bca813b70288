/** The meaning of a reply, in the labels the accuracy corpora use. */
export type ReplyLabel =
  | 'accepted'
  | 'mailbox_not_exist'
  | 'mailbox_full'
  | 'mailbox_disabled'
  | 'greylisted_or_temporary'
  | 'blocked_or_policy'
  | 'other';

/** The label, and a stable snake_case code for the finer reason (`over_quota`, `listed_by_blocklist` …). */
export type ReplyMeaning = { label: ReplyLabel; reason: string };

/** A reply as `classifyReply` takes it; `provider` is an id of the provider table. */
export type ReplyToClassify = {
  code: number;
  enhanced: string | undefined;
  text: string;
  provider: string | undefined;
};

/** The two sides of a conversation: with them, a reply that names our side and not the recipient is recognised. */
export type ReplyParties = {
  /** Our envelope sender; empty for the null sender. */
  sender: string;
  heloName: string;
  /** The IP address we connect from, if it is known. */
  egressAddress?: string | undefined;
  recipient: string;
};

/** Every reason of a reply. A rule can only use a reason that stands here; `@mailproof/client` has the texts. */
export const replyReasons = [
  'accepted',

  'user_unknown',
  'domain_unknown',
  'domain_refuses_mail',
  'recipient_refused',
  'address_refused',

  'mailbox_disabled',

  'mailbox_full',
  'over_quota',

  'greylisted',
  'verification_in_progress',
  'receiving_too_fast',
  'unknown_for_now',
  'customer_suspended',
  'deferred',
  'deferred_by_gateway',
  'server_storage',
  'try_again_later',

  'rate_limited',

  'listed_by_blocklist',
  'bad_reputation',
  'no_reverse_dns',
  'helo_refused',
  'client_refused',
  'sender_refused',
  'sender_authentication_failed',
  'authentication_required',
  'tls_required',
  'relaying_denied',
  'domain_not_served',
  'spam_suspected',
  'malware_suspected',
  'message_too_large',
  'content_refused',
  'speaks_of_us',
  'policy',
  'unavailable_or_denied',
  'refused_without_reason',

  'server_failure',
  'command_refused',
  'several_possible_causes',
  'unexplained',
  'not_a_final_reply',
] as const;

export type ReplyReason = (typeof replyReasons)[number];

/**
 * Questions about a reply for comparing two recipients in one conversation. One answer may settle a point that
 * another leaves open, but only if neither is about us. A further question is for the pacer: whether a host
 * complains about us.
 */

/** Reasons that lie with the asking side, or may: they say nothing of this mailbox or any other. */
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

/** Complaints that no recipient's domain can provoke by its setup: they name us, our address or our sender. */
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
 * Whether a host refuses us in words or codes that say so. Relaying denied is about the recipient's domain, and a
 * policy may be about either side. "Unavailable or denied" is also said of mailboxes that do not exist.
 */
export function complainsAboutUs({ label, reason }: ReplyMeaning): boolean {
  return label === 'blocked_or_policy' && complaints.has(reason);
}

/** Whether a reply refuses for good without a reason and without speaking of us: `550 Rejected`, OpenSMTPD's 524. */
export function refusesWithoutReason({ reason }: ReplyMeaning): boolean {
  return reason === ('refused_without_reason' satisfies ReplyReason) || reason === 'unexplained';
}

/**
 * Whether a reply is a soft bounce: deferred in words that say "unknown"; never greylisting, nor a verification
 * still under way.
 */
export function defersAsUnknown({ reason }: ReplyMeaning): boolean {
  return reason === ('unknown_for_now' satisfies ReplyReason);
}
