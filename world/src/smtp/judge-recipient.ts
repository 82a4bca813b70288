/** What a mail host says to one RCPT: its policies first, then what it knows of the mailbox. */
import type { MailHost } from './mail-host.ts';
import { quirkReply, type QuirkView, type ReplyText } from './quirk.ts';
import type { MailboxState, Refusal } from './temper.ts';

type Envelope = {
  client: string;
  sender: string;
  /** Recipients named in this transaction, this one not counted. */
  named: number;
  /** Of the whole conversation. */
  namedInAll: number;
  acceptedInAll: number;
  refusedInAll: number;
  /** What the host's quirks look at. */
  view: QuirkView;
};

const usualReplies: Record<MailboxState, ReplyText> = {
  exists: '250 2.1.5 Ok',
  unknown: '550 5.1.1 <{recipient}>: Recipient address rejected: User unknown in virtual mailbox table',
  full: '552 5.2.2 <{recipient}>: Quota exceeded (mailbox for user is full)',
  full_for_now: '452 4.2.2 <{recipient}>: The mailbox is over quota, try again later',
  disabled: '550 5.2.1 <{recipient}>: This mailbox is disabled and does not accept messages',
  busy: '450 4.2.1 <{recipient}>: The user is receiving mail too quickly',
  deferred: '451 4.3.0 <{recipient}>: Temporary lookup failure',
};

export function judgeRecipient(host: MailHost, recipient: string, envelope: Envelope): ReplyText {
  return (
    refusedByPolicy(host, envelope) ??
    bannedForUnknown(host, recipient, envelope) ??
    quirkReply(host.temper.quirks ?? [], envelope.view) ??
    deferredByGreylist(host, recipient, envelope) ??
    mailboxReply(host, recipient)
  );
}

export function isKnown(host: MailHost, recipient: string): boolean {
  return findMailbox(host, recipient) !== undefined;
}

/** What a host with a refusal says to this client at this point of the conversation. */
export function refusalAt(at: Refusal['at'], host: MailHost, client: string): ReplyText | undefined {
  const { refusal } = host.temper;
  if (refusal?.at !== at || refusal.to?.includes(client) === false) return undefined;
  const { ifListedBy: list, reply } = refusal;
  return list === undefined || host.isListed(list, client) ? reply : undefined;
}

function refusedByPolicy(host: MailHost, envelope: Envelope): ReplyText | undefined {
  const { temper } = host;
  const refusal = refusalAt('rcpt', host, envelope.client);
  if (refusal !== undefined) return refusal;
  if (envelope.named >= (temper.recipientsPerTransaction ?? Infinity)) {
    return temper.tooMany ?? '452 4.5.3 Error: too many recipients';
  }
  const { refusesEverySecond: second, locksAfter: lock } = temper;
  const namedBefore = second?.of === 'transaction' ? envelope.named : envelope.namedInAll;
  if (second !== undefined && namedBefore % 2 === 1) return second.reply;
  if (lock !== undefined && envelope.refusedInAll >= lock.refusals) return lock.reply;
  const mostlyRefused = temper.refusesMostlyRefused;
  if (mostlyRefused === undefined || envelope.namedInAll < mostlyRefused.named) return undefined;
  return envelope.acceptedInAll * 2 < envelope.namedInAll
    ? '550 Too many refused recipients, further ones are not looked at'
    : undefined;
}

const minuteMs = 60_000;

function bannedForUnknown(host: MailHost, recipient: string, { client }: Envelope): ReplyText | undefined {
  const { bansForUnknown: limit } = host.temper;
  if (limit === undefined) return undefined;
  const seen = host.unknown.get(client) ?? { at: [], isBanned: false };
  host.unknown.set(client, seen);
  if (!isKnown(host, recipient)) {
    const now = host.now();
    seen.at = [...seen.at.filter((at) => at > now - minuteMs), now];
    seen.isBanned ||= seen.at.length > limit.perMinute;
  }
  return seen.isBanned ? limit.reply : undefined;
}

function deferredByGreylist(host: MailHost, recipient: string, envelope: Envelope): ReplyText | undefined {
  const { greylist } = host.temper;
  if (greylist === undefined) return undefined;
  if (greylist.defers === 'known' && !isKnown(host, recipient)) return undefined;
  const key = `${envelope.client} ${envelope.sender} ${recipient.toLowerCase()}`;
  const firstSeen = host.greylist.get(key);
  if (firstSeen === undefined) host.greylist.set(key, host.now());
  const waitedMs = host.now() - (firstSeen ?? host.now());
  if (waitedMs >= greylist.waitMs) return undefined;
  return greylist.reply ?? '450 4.2.0 <{recipient}>: Recipient address rejected: Greylisted, try again later';
}

function mailboxReply(host: MailHost, recipient: string): ReplyText {
  const mailbox = findMailbox(host, recipient) ?? (host.temper.catchAll === true ? 'exists' : 'unknown');
  if (typeof mailbox !== 'string') return mailbox.reply;
  return host.temper.replies?.[mailbox] ?? usualReplies[mailbox];
}

function findMailbox(host: MailHost, recipient: string) {
  const address = recipient.toLowerCase();
  return host.mailboxes.get(address) ?? host.mailboxes.get(address.slice(0, address.lastIndexOf('@')));
}
