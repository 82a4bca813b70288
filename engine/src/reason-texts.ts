/**
 * Every reason of an explanation as a sentence for people, in the groups in which docs/reasons.md shows them. The
 * types make a reason without a sentence a compile error wherever the reason itself has a type.
 */
import type { MailRoute, RouteFailure } from './dns/mail-route.ts';
import type { NoAnswerReason } from './evidence.ts';
import { replyReasons } from './replies/reply-reasons.ts';
import type { SyntaxFault } from './syntax/address.ts';

type RefusesMail = Extract<MailRoute, { kind: 'refuses_mail' }>['why'];

const verdictReasons = {
  mailbox_accepted: 'the mailbox was accepted and a random one is not',
  accepts_every_address: 'a random mailbox was accepted too, so the answer proves nothing about this one',
  catch_all_undetermined: 'the mailbox was accepted, but whether any other would be could not be found out',
  spamtrap_listed: "the address is on the operator's list of spam traps",
  disposable_listed: 'the domain or its mail host belongs to a disposable-address service',
  operator_denied: "the operator's deny list says that this address is never asked about",
  not_asked: 'no mail host was asked',
  deadline_reached: 'the deadline came before a verdict',
  internal_error: 'verifying failed again and again for a reason that lies with the service',
} as const;

const routeReasons: Readonly<Record<RefusesMail | `dns_${RouteFailure}`, string>> = {
  no_such_domain: 'the domain does not exist',
  null_mx: 'the domain says that it takes no mail (null MX)',
  no_mail_host: 'the domain has neither a mail host nor an address',
  no_mail_host_resolves: 'none of the mail hosts of the domain has an address',
  dns_servfail: 'the resolver failed to look the domain up',
  dns_refused: 'the resolver refused to look the domain up',
  dns_silence: 'no resolver answered in time',
  dns_malformed: 'the answer about the domain could not be read',
  dns_other_rcode: 'the resolver answered with an error about the domain',
  dns_denies_known_names:
    'the resolver denies names that are known to exist, so its word on this domain proves nothing',
};

const noAnswerReasons: Readonly<Record<NoAnswerReason, string>> = {
  mx_unreachable: 'no mail host could be reached',
  smtp_timeout: 'the mail host took the connection and then let the time run out',
  protocol_error: 'the mail host broke the protocol',
  connection_lost: 'the mail host hung up before it answered about the mailbox',
  host_refused: 'the mail host refused us before the mailbox was named',
  smtputf8_not_offered: 'the address needs SMTPUTF8, which the mail host does not offer',
  tls_failed: 'the mail host demands TLS and the handshake failed',
  mail_port_blocked: 'outbound port 25 is blocked here, so no mail host can be reached',
  host_resting: 'the mail host is left alone for a while after what it said or did, so it was not asked',
  provider_policy: "the operator's policy is not to ask this provider",
  provider_accepts_everything:
    'the provider accepts every address and decides after the message, so it was not asked',
};

/** The names that pacing gives to a rest; they stand in place of `host_resting` where the cause is known. */
const restReasons = {
  route_volume_spent: 'the route to the mail host has had its volume for today',
  no_route_open: 'every route that may be used for the mail host is resting or not allowed',
  provider_throttles: 'the provider asked for less from us, so it is left alone for a while',
  reputation_doubted: 'the provider doubts our reputation, so it is left alone for a while',
  host_defers: 'the mail host put us off, so it is left alone for a while',
  host_unreachable:
    'the mail host could not be reached several times in a row, so it is left alone for a while',
  host_silent: 'the mail host fell silent several times in a row, so it is left alone for a while',
  provider_refuses_us: 'the provider refused us several times in a row, so it is left alone for a while',
  too_many_unknown:
    'too many of the mailboxes asked for there do not exist, so the provider is left alone for a while',
  many_unknown: 'many of the mailboxes asked for there do not exist, so the provider is asked more slowly',
} as const;

const syntaxReasons: Readonly<Record<SyntaxFault, string>> = {
  empty: 'there is nothing before the line ends',
  no_at_sign: 'there is no @ in it',
  too_long: 'it is longer than an address may be (254)',
  local_part_empty: 'there is nothing before the @',
  local_part_too_long: 'the part before the @ is longer than 64 octets',
  local_part_invalid: 'the part before the @ is not well-formed',
  domain_empty: 'there is nothing after the @',
  domain_too_long: 'the domain is longer than 253 octets',
  domain_invalid: 'the domain is not a host name',
  domain_not_canonical: 'the domain turns into another one on the wire',
  domain_dotless: 'the domain has no dot',
  domain_numeric: 'the last part of the domain is a number',
  address_literal: 'an IP address stands where the domain should',
  comment_or_folding: 'it holds a comment or white space',
  control_character: 'it holds a control character',
};

type ReasonGroup = { about: string; texts: Readonly<Record<string, string>> };

/** In the order in which an address is looked at, the verdict first. */
export const reasonGroups: readonly ReasonGroup[] = [
  { about: 'What was concluded', texts: verdictReasons },
  { about: 'Where the mail of the domain goes', texts: routeReasons },
  { about: 'Why no mail host answered about the mailbox', texts: noAnswerReasons },
  { about: 'Why a mail host is left alone for a while', texts: restReasons },
  { about: 'What the mail host said', texts: replyReasons },
  { about: 'Why a string is no address', texts: syntaxReasons },
];

/** The sentence for a reason; undefined where there is none, which is for the caller to show as it is. */
export function reasonText(reason: string): string | undefined {
  const group = reasonGroups.find(({ texts }) => Object.hasOwn(texts, reason));
  return group?.texts[reason];
}
