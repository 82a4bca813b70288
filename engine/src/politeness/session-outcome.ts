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
  /** What was said of each mailbox that was asked for; made-up ones are nobody's. */
  mailboxes: MailboxFinding[];
  /** The same of made-up recipients, each with the account whose mailbox it was named beside. */
  madeUp: Pick<MailboxFinding, 'account' | 'said'>[];
  /** The first reply that says our address is on a block list, and the account it was said to. */
  accusation?: { text: string; account: string };
  /** The provider will not have our address until somebody asks it to. */
  ban?: Ban;
};

/** Who asked for a mailbox, in which domain, and what the host said: that there is none, that it will not have us, or anything else. */
export type MailboxFinding = { account: string; domain: string; said: 'unknown' | 'complaint' | 'other' };

/** A reply, and the provider or registrable domain that the host belongs to. */
type HeardReply = { reply: Reply; meaning: ReplyMeaning; group: string };

/** Whom it was heard for. */
type AskedFor = { asker: { account: string }; address: { host: string } };

type Question = { kind: 'target' | 'made_up' | 'ordinary'; probe: AskedFor };

/** Adds what was said of a recipient. A ban is counted by itself: it is a provider's word about an address of ours. */
export function noteRecipient(outcome: SessionOutcome, { kind, probe }: Question, heard: HeardReply): void {
  const said = findingOf(heard.meaning);
  const finding = { account: probe.asker.account, domain: probe.address.host, said };
  if (kind === 'made_up') outcome.madeUp.push(finding);
  if (kind !== 'target') return;
  const isBan = heard.meaning.label === 'blocked_or_policy' && noteRefusal(outcome, heard, finding.account);
  outcome.mailboxes.push(isBan ? { ...finding, said: 'other' } : finding);
}

/** Keeps the reply by which the host sent us away, and what it says of our address. */
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

/** Reduces a reply about a mailbox to what matters for pacing. */
function findingOf(meaning: ReplyMeaning): MailboxFinding['said'] {
  if (meaning.label === 'mailbox_not_exist') return 'unknown';
  return complainsAboutUs(meaning) ? 'complaint' : 'other';
}

/** Nothing has gone wrong yet. */
export function startOutcome(): SessionOutcome {
  return {
    connected: true,
    fault: undefined,
    turnedAway: undefined,
    mailboxes: [],
    madeUp: [],
  };
}
