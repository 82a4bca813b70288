/** Every reason a reply may be given. A rule can only use a reason that stands here; `@mailproof/client` has the texts. */
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
