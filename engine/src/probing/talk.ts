import type { Route } from '../routes/create-routes.ts';
import type { MailPortWatch } from '../routes/watch-mail-port.ts';
import type { ReadReply } from '../evidence.ts';
import type { Patience } from '../patience.ts';
import { providerOf } from '../replies/providers.ts';
import type { ReplyClassifier } from '../replies/classifier/create-reply-classifier.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { CatchAllLookups } from './catch-all-lookups.ts';
import type { Destination } from '../politeness/policy.ts';
import type { SessionOutcome } from '../politeness/session-outcome.ts';
import type { HostMemory } from './host-traits.ts';
import type { ConversationParts } from '../smtp/open-conversation.ts';
import type { Standing } from './plan-group.ts';
import type { PendingProbe } from './pending-probe.ts';

/**
 * The state of one conversation: whom it has taken on, what it has heard, what it may still say. Thousands are open at
 * once and few hold more than one or two of anything: lists and not sets, and the parts are not copied.
 */
export type TalkParts = ConversationParts & {
  /** The way out, and the name and sender we have there. */
  route: Route;
  mailPort: Pick<MailPortWatch, 'note'>;
  /** STARTTLS wherever it is offered, or only where a host demands it. */
  starttls: 'demanded' | 'always';
  hosts: HostMemory;
  catchAllLookups: CatchAllLookups;
  classify: ReplyClassifier;
  /** A local part that no mailbox has; the same each time, so that a greylisting host knows it again. */
  randomLocalPart(domain: CanonicalHost): string;
};

/** Where probes come from, and where those go back that were not answered. */
export type Supply = {
  take(most: number): PendingProbe[];
  giveBack(probes: PendingProbe[]): void;
};

export type Held = { probe: PendingProbe; meaning: ReplyMeaning; reply: ReadReply };

export type Talk = {
  destination: Destination;
  parts: TalkParts;
  supply: Supply;
  patience: Patience;
  standing: Standing;
  outcome: SessionOutcome;
  /** Taken on and not yet named to the host. */
  pending: PendingProbe[];
  /** Named to the host, and no answer yet. */
  named: PendingProbe[];
  held: Held[];
  /** Cannot be named to this host: they need SMTPUTF8, and it is not offered. */
  declined: PendingProbe[];
  /** Random probes that this conversation has taken on to ask for. */
  questions: CanonicalHost[];
  randomProbeReplies: { domain: CanonicalHost; reply: ReadReply }[];
  startedAt: number;
  takeOn(probes: PendingProbe[]): void;
  isAbandoned(): boolean;
};

/** Made once, since an abort without a reason makes an exception each time. */
const everybodyLeft = new Error('everybody who asked has left');

export function startTalk(destination: Destination, supply: Supply, parts: TalkParts): Talk {
  const controller = new AbortController();
  const startedAt = parts.clock.now();
  let taken: PendingProbe[] = [];
  const isAbandoned = (): boolean => taken.every((probe) => probe.isSettled());
  /** The conversation is as patient as the most patient of those it asks for, within its own time. */
  const deadline = (): number =>
    Math.min(
      startedAt + parts.limits.smtpPhaseMs,
      Math.max(...taken.filter((probe) => !probe.isSettled()).map((probe) => probe.deadline)),
    );
  const talk: Talk = {
    destination,
    parts,
    supply,
    startedAt,
    patience: { deadline: startedAt, signal: controller.signal },
    standing: startStanding(destination, parts),
    outcome: {
      connected: true,
      fault: undefined,
      turnedAway: undefined,
      recipients: 0,
      unknownMailboxes: 0,
      policyRefusals: 0,
    },
    pending: [],
    named: [],
    held: [],
    declined: [],
    questions: [],
    randomProbeReplies: [],
    isAbandoned,
    takeOn(probes) {
      if (probes.length === 0) return;
      taken = taken.concat(probes);
      talk.pending = talk.pending.concat(probes);
      talk.patience.deadline = deadline();
      for (const probe of probes) probe.onSettled(onSettled);
    },
  };
  /** When the last of those who asked has left, the line is closed: nobody is owed an answer. */
  function onSettled(): void {
    if (isAbandoned()) controller.abort(everybodyLeft);
    else talk.patience.deadline = deadline();
  }
  return talk;
}

function startStanding({ target, policy }: Destination, { hosts }: TalkParts): Standing {
  const traits = hosts.recall(target.host);
  const { recipientsPerConversation, refusalsPerConversation } = policy.politeness;
  const oneRecipient =
    traits.oneRecipient === true || providerOf(target.host)?.recipientsPerTransaction === 1;
  return {
    recipientsLeft: recipientsPerConversation,
    refusalsLeft: refusalsPerConversation,
    refusalsTaken: traits.refusalsTaken ?? Infinity,
    open: undefined,
    recipientsInTransaction: 0,
    recipientsPerTransaction: oneRecipient ? 1 : Infinity,
    owedRandomProbes: [],
  };
}
