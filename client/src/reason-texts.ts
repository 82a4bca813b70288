/**
 * Every reason of an explanation as sentences for people, in the groups in which docs/reasons.md shows them. The
 * console and the command line show these; a test of the console holds them to the reasons that the engine gives.
 */
export const reasonGroups = {
  verdict: {
    title: 'Conclusions',
    texts: {
      mailbox_accepted: 'The server accepted this mailbox and rejected a made-up one.',
      accepts_every_address:
        'The server also accepted a made-up address, so its answer says nothing about this mailbox.',
      catch_all_undetermined:
        'The server accepted this mailbox, but we could not find out whether it would accept any address.',
      refused_like_made_up:
        'The server refused this mailbox in the words in which it refuses made-up addresses, and accepted another one of the domain.',
      refused_unlike_made_up:
        'The server refused this mailbox without giving a reason, although it accepts made-up addresses of the domain.',
      said_of_made_up_too:
        'The server says the same of a made-up address, so it describes the server and not this mailbox.',
      not_compared:
        'The server calls the mailbox full or disabled, but it gave no answer for a made-up address beside it.',
      contradicts_itself: 'The server gave two answers about this mailbox that cannot both be true.',
      spamtrap_listed: "The address is on the operator's list of spam traps.",
      disposable_listed: 'The domain or its mail server belongs to a disposable-address service.',
      operator_denied: "The address is on the operator's deny list, so no mail server was asked.",
      receiver_opted_out:
        'The owner of the domain or of its mail server asked not to be asked by us, so no mail server was asked.',
      not_asked: 'No mail server was asked.',
      deadline_reached: 'The deadline passed before there was a result.',
      internal_error: 'Verification failed several times because of an error in the service.',
    },
  },
  route: {
    title: 'Where the domain receives mail',
    texts: {
      no_such_domain: 'The domain does not exist.',
      null_mx: 'The domain declares that it accepts no mail (null MX).',
      no_mail_host: 'The domain has neither a mail server nor an IP address.',
      no_mail_host_resolves: "None of the domain's mail servers has an IP address.",
      mail_host_leads_nowhere:
        "Every IP address of the domain's mail servers is one that nobody else can reach, such as 127.0.0.1.",
      dns_servfail: 'The DNS resolver failed to look up the domain.',
      dns_refused: 'The DNS resolver refused to look up the domain.',
      dns_silence: 'No DNS resolver answered in time.',
      dns_malformed: 'The DNS answer for the domain could not be read.',
      dns_other_rcode: 'The DNS resolver returned an error for the domain.',
      dns_denies_known_names:
        'The DNS resolver denies domains that are known to exist, so its answer for this domain proves nothing.',
      dns_denial_unproved:
        'The DNS resolver says that the domain takes no mail, but did not prove in time that it finds domains at all.',
    },
  },
  no_answer: {
    title: 'Why no mail server answered about the mailbox',
    texts: {
      mx_unreachable: 'No mail server could be reached.',
      smtp_timeout: 'The mail server accepted the connection, then stopped answering.',
      protocol_error: 'The mail server violated the SMTP protocol.',
      connection_lost: 'The mail server closed the connection before it answered about the mailbox.',
      host_refused: 'The mail server rejected us before we named the mailbox.',
      smtputf8_not_offered: 'The address needs SMTPUTF8, which the mail server does not support.',
      no_host_offers_smtputf8:
        "The address needs SMTPUTF8, and none of the domain's mail servers supports it, so it cannot be delivered.",
      hosts_take_no_mail: 'Every mail server of the domain says that it takes no mail from anybody.',
      tls_failed: 'The mail server requires TLS, and the TLS handshake failed.',
      mail_port_blocked: 'Outbound port 25 is blocked here, so no mail server can be reached.',
      identity_unproven:
        'Our own HELO name or sender is not set up, and public mail servers are not asked under a name that is not ours.',
      no_prober: 'No prober can ask mail servers now, so the mailbox was not asked about.',
      egress_closed:
        'The IP address that would ask is on a block list, so no mail server is asked until it is removed.',
      host_resting: 'The mail server is paused because of earlier replies or failures, so it was not asked.',
      control_mailbox_refused:
        'The provider currently rejects mailboxes that are known to exist, so its "no such mailbox" is not believed.',
      backup_accepts_everything:
        'Only a backup mail server answered, and it accepts every address. The preferred ones could not be asked.',
      provider_policy: "The operator's policy is not to ask this provider.",
      provider_accepts_everything:
        'The provider accepts every address and decides after the message is sent, so it was not asked.',
    },
  },
  rest: {
    title: 'Why a mail server is paused',
    texts: {
      route_volume_spent: "The egress route to the mail server has used up today's volume.",
      no_route_open: 'Every egress route allowed for the mail server is paused or unavailable.',
      provider_throttles: 'The provider asked us to slow down, so it is paused.',
      reputation_doubted: 'The provider distrusts our reputation, so it is paused.',
      host_defers: 'The mail server keeps deferring us, so it is paused.',
      host_unreachable: 'The mail server could not be reached several times in a row, so it is paused.',
      host_silent: 'The mail server stopped answering several times in a row, so it is paused.',
      provider_refuses_us: 'The provider rejected us several times in a row, so it is paused.',
      provider_bans_us:
        'The provider bans the IP address that would ask, so it is not asked until the ban ends.',
      many_unknown:
        'Many of the mailboxes you asked about at this provider do not exist, so your account asks it more slowly.',
    },
  },
  reply: {
    title: 'What the mail server replied',
    texts: {
      accepted: 'The mail server accepts mail for this mailbox.',
      user_unknown: 'The mail server says that the mailbox does not exist or that its owner has left.',
      domain_unknown: 'The mail server does not know the domain of the address.',
      domain_refuses_mail: 'The mail server says that the domain accepts no mail at all.',
      recipient_refused: 'The mail server rejected this address and gave no other reason.',
      address_refused: 'The mail server rejected the address with a code that means a bad address.',
      mailbox_disabled: 'The mailbox exists but is disabled, suspended, inactive or closed.',
      mailbox_full: 'The mailbox is full.',
      over_quota: 'The mailbox is over its quota.',
      greylisted:
        'The mail server defers first attempts from unknown senders (greylisting). Ask again later.',
      verification_in_progress: 'The mail server is still checking whether the mailbox exists.',
      receiving_too_fast: 'The mailbox exists but is receiving mail faster than it is allowed to.',
      unknown_for_now:
        'The mail server does not know the mailbox for now, but only deferred us (a soft bounce).',
      customer_suspended: "The account of the domain's owner is suspended at its mail filter.",
      deferred: 'The mail server could not answer for now (temporary failure).',
      deferred_by_gateway: 'The mail server deferred us because of a reply from a server behind it.',
      server_storage: 'The mail server is short of storage or memory.',
      try_again_later: 'The mail server had a temporary problem and asked us to try again later.',
      rate_limited: 'The mail server limits our rate: too many connections, messages or recipients.',
      listed_by_blocklist: 'Our IP address or sender is on a block list that the mail server uses.',
      bad_reputation: 'The mail server does not trust our IP address or sender.',
      no_reverse_dns: 'The mail server requires our IP address to have a valid reverse DNS name.',
      helo_refused: 'The mail server rejected our HELO name.',
      client_refused: 'The mail server does not accept connections from us.',
      sender_refused: 'The mail server rejected the sender address that we use.',
      sender_authentication_failed: 'The mail server could not authenticate our sender (SPF, DKIM or DMARC).',
      authentication_required: 'The mail server requires a login first.',
      tls_required: 'The mail server requires encryption that it accepts.',
      relaying_denied: 'The mail server took this for mail to relay elsewhere, which it does not do.',
      domain_not_served: 'The mail server says that it does not handle mail for this domain.',
      spam_suspected: 'The mail server treats us as a source of spam.',
      malware_suspected: 'The mail server suspects dangerous content.',
      message_too_large: 'The mail server rejected us because of message size.',
      content_refused: 'The mail server rejected us because of content or format.',
      speaks_of_us: 'The mail server is talking about us, not about the mailbox.',
      policy: "The mail server rejected us by local policy or by the recipient's choice.",
      unavailable_or_denied:
        'The mail server does not say whether the mailbox does not exist or access is denied.',
      refused_without_reason: 'The mail server rejected us and gave no reason.',
      server_failure: 'The mail server has a permanent failure or is misconfigured.',
      command_refused: 'The mail server did not recognize a command, or not at that point.',
      several_possible_causes: 'The mail server lists several causes and does not say which one applies.',
      unexplained: 'The mail server said no in words that explain nothing.',
      not_a_final_reply: 'The mail server gave a reply that is neither a yes nor a no.',
    },
  },
  syntax: {
    title: 'Why a string is not a valid address',
    texts: {
      empty: 'It is empty.',
      no_at_sign: 'It has no @ sign.',
      too_long: 'It is longer than 254 characters.',
      local_part_empty: 'There is nothing before the @ sign.',
      local_part_too_long: 'The part before the @ sign is longer than 64 octets.',
      local_part_invalid: 'The part before the @ sign is not well-formed.',
      domain_empty: 'There is nothing after the @ sign.',
      domain_too_long: 'The domain is longer than 253 octets.',
      domain_invalid: 'The domain is not a valid host name.',
      domain_not_canonical: 'The domain changes into a different one when it is converted to ASCII.',
      domain_dotless: 'The domain has no dot.',
      domain_numeric: 'The last part of the domain is a number.',
      address_literal: 'It has an IP address in place of a domain.',
      comment_or_folding: 'It contains a comment or white space.',
      control_character: 'It contains a control character.',
    },
  },
} as const;

type Groups = typeof reasonGroups;

/** Every reason there is a text for. */
export type ExplainedReason = {
  [Group in keyof Groups]: keyof Groups[Group]['texts'];
}[keyof Groups];

const allTexts: ReadonlyMap<string, string> = new Map(
  Object.values(reasonGroups).flatMap(({ texts }) => Object.entries(texts)),
);

/** The text for a reason; undefined for one that is new to this version, which the caller shows by its name. */
export function reasonText(reason: string): string | undefined {
  return allTexts.get(reason);
}
