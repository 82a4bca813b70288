import type { ReplyMeaning } from '../replies/meaning.ts';
import { complainsAboutUs } from '../replies/refusal-kinds.ts';
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
};

/** Who asked for a mailbox, in which domain, and what the host said: that there is none, that it will not have us, or anything else. */
export type MailboxFinding = { account: string; domain: string; said: 'unknown' | 'complaint' | 'other' };

/** Reduces a reply about a mailbox to what matters for pacing. */
export function findingOf(meaning: ReplyMeaning): MailboxFinding['said'] {
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
