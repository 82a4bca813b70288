import type { Conversation, SmtpCounts } from './record.ts';
import type { TlsContexts } from './secure-stream.ts';
import type { Mailbox, MailboxState, Quirk, Refusal, ReplyText, Temper } from './temper.ts';

/** A running mail host: its description, and its memory of clients and recipients. */
export type MailHost = {
  name: string;
  address: string;
  temper: Temper;
  mailboxes: Map<string, Mailbox>;
  latencyMs: number;
  counts: SmtpCounts;
  tls: TlsContexts;
  /** The time at which a client, sender and recipient were first seen together. */
  greylist: Map<string, number>;
  /** Times of unknown recipients in the last minute, for each client, and whether it is banned. */
  unknown: Map<string, { at: number[]; isBanned: boolean }>;
  /** Conversations so far. Each has its own number and, at a fuzzing host, its own seed. */
  conversations: number;
  /** Open connections. */
  open: Set<Conversation>;
  /** Whether a block list of the world lists the client. */
  isListed(list: string, client: string): boolean;
  /** The world's clock in milliseconds, for greylisting and bans. */
  now(): number;
};

type Envelope = {
  client: string;
  sender: string;
  /** Recipients named earlier in this transaction. */
  named: number;
  /** Of the whole conversation. */
  namedInAll: number;
  acceptedInAll: number;
  refusedInAll: number;
  /** The view that the host's quirks decide by. */
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

/** Returns the reply to one RCPT: policies come first, then quirks, greylisting and the mailbox. */
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

/** Returns the host's refusal of this client at this point of the conversation, if it has one. */
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

/** The view that a quirk decides by. */
export type QuirkView = {
  /** 1 for the first recipient of the conversation. */
  place: number;
  /** 0 for the first conversation with the host. */
  conversation: number;
  /** Distinct recipients of the conversation, this one not counted, and whether it is among them. */
  distinct: number;
  isRepeated: boolean;
  /** Refused recipients of the conversation. */
  refused: number;
};

/** Returns the quirks' reply to a recipient; none if they leave the answer to the mailbox. */
function quirkReply(quirks: readonly Quirk[], view: QuirkView): ReplyText | undefined {
  for (const quirk of quirks) {
    const reply = replyOf(quirk, view);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

function replyOf(quirk: Quirk, view: QuirkView): ReplyText | undefined {
  switch (quirk.kind) {
    case 'takes_distinct':
      return !view.isRepeated && view.distinct >= quirk.recipients ? quirk.reply : undefined;
    case 'by_place':
      return wordAt(quirk, view.place);
    case 'counts_refusals':
      return view.refused >= quirk.refusals ? quirk.reply : undefined;
    case 'busy':
      return quirk.at === 'rcpt' && isBusy(quirk, view.conversation) ? quirk.reply : undefined;
    case 'loses_reply':
    case 'surplus_reply':
    case 'vanishes':
    case 'late':
    case 'one_client':
      return undefined;
  }
}

function wordAt({ says, then, reply }: Quirk & { kind: 'by_place' }, place: number): ReplyText | undefined {
  const index = then === 'again' ? (place - 1) % says.length : Math.min(place, says.length) - 1;
  const word = says[index];
  if (word === 'yes') return '250 2.1.5 Ok';
  return word === 'no' ? reply : undefined;
}

function isBusy({ every, in: busy }: Quirk & { kind: 'busy' }, conversation: number): boolean {
  return busy.includes(conversation % every);
}

/** Returns the quirks' reply in place of the banner, if they have one. */
export function quirkBanner(
  quirks: readonly Quirk[],
  { conversation, hasOthers }: { conversation: number; hasOthers: boolean },
): ReplyText | undefined {
  for (const quirk of quirks) {
    if (quirk.kind === 'one_client' && hasOthers) return quirk.reply;
    if (quirk.kind === 'busy' && quirk.at === 'banner' && isBusy(quirk, conversation)) return quirk.reply;
  }
  return undefined;
}

/** The delivery of the reply to the recipient at a place. */
export type Delivery = { isLost: boolean; surplus: ReplyText | undefined; vanishes: boolean; lateMs: number };

export function deliveryAt(quirks: readonly Quirk[], place: number): Delivery {
  const delivery: Delivery = { isLost: false, surplus: undefined, vanishes: false, lateMs: 0 };
  for (const quirk of quirks) {
    if (!('place' in quirk) || quirk.place !== place) continue;
    if (quirk.kind === 'loses_reply') delivery.isLost = true;
    if (quirk.kind === 'surplus_reply') delivery.surplus = quirk.reply;
    if (quirk.kind === 'vanishes') delivery.vanishes = true;
    if (quirk.kind === 'late') delivery.lateMs += quirk.ms;
  }
  return delivery;
}
