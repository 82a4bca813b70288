/**
 * Every reason a reply may be given, each with a sentence for people. A rule can only use a reason that stands here,
 * and docs/reasons.md is written from here.
 */
export const replyReasons = {
  accepted: 'the mail host takes mail for this mailbox',

  user_unknown: 'the mail host knows no such mailbox, or says that its owner has left',
  domain_unknown: 'the mail host does not know the domain of the address',
  domain_refuses_mail: 'the domain says that it takes no mail at all',
  recipient_refused: 'the mail host refuses this address and gives no other reason',
  address_refused: 'the mail host refuses with a code that stands for a wrong address',

  mailbox_disabled: 'the mailbox is known and switched off: disabled, suspended, inactive or closed',

  mailbox_full: 'the mailbox is full',
  over_quota: 'the mailbox has used up its quota',

  greylisted:
    'the mail host puts unknown senders off on the first attempt (greylisting) and wants to be asked again',
  verification_in_progress: 'the mail host is still finding out whether the mailbox exists',
  receiving_too_fast: 'the mailbox exists and is getting more mail than it may at the moment',
  customer_suspended: "the filter in front of the domain has its owner's account switched off for now",
  deferred: 'the mail host could not answer for the moment (a temporary failure)',
  deferred_by_gateway: 'the mail host put us off because of what another host behind it said',
  server_storage: 'the mail host itself is short of space or memory for the moment',
  try_again_later: 'the mail host failed for the moment and asks to be tried later',

  rate_limited: 'the mail host limits how much it is asked: too many connections, messages or recipients',

  listed_by_blocklist: 'our IP address or sender is on a block list that the mail host uses',
  bad_reputation: 'the mail host does not trust our IP address or sender',
  no_reverse_dns: 'the mail host wants our IP address to have a proper name in DNS',
  helo_refused: 'the mail host does not like the name with which we introduced ourselves',
  client_refused: 'the mail host refuses connections from us',
  sender_refused: 'the mail host refuses the sender address we used',
  sender_authentication_failed:
    'the mail host found no proof that we may use the sender (SPF, DKIM or DMARC)',
  authentication_required: 'the mail host wants a login first',
  tls_required: 'the mail host insists on encryption it is content with',
  relaying_denied: 'the mail host takes this for mail to be passed on to elsewhere, which it does not do',
  domain_not_served: 'the mail host says that it does not handle mail for this domain',
  spam_suspected: 'the mail host takes us for a source of spam',
  malware_suspected: 'the mail host suspects dangerous content',
  message_too_large: 'the mail host refuses because of size',
  content_refused: 'the mail host refuses because of content or form',
  policy: 'the mail host refuses by a rule of its own, or by a wish of the recipient',
  unavailable_or_denied: 'the mail host leaves open whether the mailbox is unknown or we are not welcome',
  refused_without_reason: 'the mail host refused and did not say why',

  server_failure: 'the mail host failed for good, or is set up wrongly',
  command_refused: 'the mail host did not understand a command, or not at this point',
  several_possible_causes: 'the mail host lists several causes and does not say which it is',
  unexplained: 'the mail host said no in words that tell nothing',
  not_a_final_reply: 'the mail host gave a reply that is neither a yes nor a no',
} as const satisfies Readonly<Record<string, string>>;

export type ReplyReason = keyof typeof replyReasons;
