import type { ReplyMeaning } from '../replies/meaning.ts';
import type { Fault } from '../smtp/connection.ts';
import type { Reply } from '../smtp/reply-reader.ts';

/** How a conversation went, as far as it matters for when and how the host is asked again. */
export type SessionOutcome = {
  connected: boolean;
  /** How the connection broke, if it did. */
  fault: Fault | undefined;
  /** The reply by which the host sent us away before a mailbox was named, or with 421. */
  turnedAway: { reply: Reply; meaning: ReplyMeaning } | undefined;
  recipients: number;
  /** Recipients refused as mailboxes that do not exist. */
  unknownMailboxes: number;
  /** Recipients refused for what we are. */
  policyRefusals: number;
};

/** Nothing has gone wrong yet. */
export function startOutcome(): SessionOutcome {
  return {
    connected: true,
    fault: undefined,
    turnedAway: undefined,
    recipients: 0,
    unknownMailboxes: 0,
    policyRefusals: 0,
  };
}
