import { complainsAboutUs, type ReplyMeaning, type ReplyReason } from '../replies/meaning.ts';
import { banIn, type Ban } from '../replies/bans.ts';
import type { Fault } from '../smtp/connection.ts';
import type { Reply } from '../smtp/reply-reader.ts';

/** How a conversation went, as far as it matters for when and how the host is asked again. */
export type SessionOutcome = {
  connected: boolean;
  /** How the connection broke, if it did. */
  fault: Fault | undefined;
  /** The reply by which the host sent us away before a mailbox was named, or with 421. */
  turnedAway: { reply: Reply; meaning: ReplyMeaning } | undefined;
  /** The finding for each mailbox that was asked for, without made-up ones. */
  mailboxes: MailboxFinding[];
  /** The same of made-up recipients, each with the account whose mailbox it was named beside. */
  madeUp: Pick<MailboxFinding, 'account' | 'said'>[];
  /** The first reply that says our address is on a block list, and the account it was said to. */
  accusation?: { text: string; account: string };
  /** The provider rejects our address until the operator asks it to end that. */
  ban?: Ban;
};

/**
 * A mailbox's asker and domain, and the host's answer: no such mailbox, no mail from us, or anything else.
 */
export type MailboxFinding = { account: string; domain: string; said: 'unknown' | 'complaint' | 'other' };

/** A reply, and the provider or registrable domain that the host belongs to. */
type HeardReply = { reply: Reply; meaning: ReplyMeaning; group: string };

/** The probe that it was heard for. */
type AskedFor = { asker: { account: string }; address: { host: string } };

type Question = { kind: 'target' | 'made_up' | 'ordinary'; probe: AskedFor };

/** Adds the answer about a recipient. A ban is counted by itself: it is a provider's word about an address of ours. */
export function noteRecipient(outcome: SessionOutcome, { kind, probe }: Question, heard: HeardReply): void {
  const said = findingOf(heard.meaning);
  const finding = { account: probe.asker.account, domain: probe.address.host, said };
  if (kind === 'made_up') outcome.madeUp.push(finding);
  if (kind !== 'target') return;
  const isBan = heard.meaning.label === 'blocked_or_policy' && noteRefusal(outcome, heard, finding.account);
  outcome.mailboxes.push(isBan ? { ...finding, said: 'other' } : finding);
}

/** Keeps the reply by which the host sent us away, and its words about our address. */
export function noteEnd(outcome: SessionOutcome, heard: HeardReply, first: AskedFor): void {
  const { reply, meaning } = heard;
  outcome.turnedAway = { reply, meaning };
  noteRefusal(outcome, heard, first.asker.account);
}

/** Keeps a refusal that bans us or names a block list; returns whether it is a ban. */
function noteRefusal(
  outcome: SessionOutcome,
  { reply, meaning, group }: HeardReply,
  account: string,
): boolean {
  const ban = banIn(reply, group);
  if (ban !== undefined) outcome.ban ??= ban;
  else if (meaning.reason === ('listed_by_blocklist' satisfies ReplyReason))
    outcome.accusation ??= { text: reply.lines.join(' '), account };
  return ban !== undefined;
}

/** Reduces a reply about a mailbox to the part that matters for pacing. */
function findingOf(meaning: ReplyMeaning): MailboxFinding['said'] {
  if (meaning.label === 'mailbox_not_exist') return 'unknown';
  return complainsAboutUs(meaning) ? 'complaint' : 'other';
}

/** Returns an outcome in which nothing has gone wrong yet. */
export function startOutcome(): SessionOutcome {
  return {
    connected: true,
    fault: undefined,
    turnedAway: undefined,
    mailboxes: [],
    madeUp: [],
  };
}
