import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { MailboxEvidence, NoAnswerReason, ReadReply, SmtpPhase } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Patience, StopSignal } from '../patience.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import type { Fault } from '../smtp/connection.ts';
import { demandsTls, greetsWithNoMail, type Failure } from '../smtp/conversation.ts';
import type { Address, CanonicalHost } from '../syntax/address.ts';
import { withItem } from '../with-item.ts';
import type { Doubt, Line } from './conclude.ts';
import type { HostTraits } from './host-traits.ts';

export type MailboxRequest = {
  address: Address;
  target: MailTarget;
  asker: Asker;
  /** The egress address that should ask, if that is settled. */
  egress?: string | undefined;
  /** Called when a session takes it. */
  onNamed?: (() => void) | undefined;
};

/** The result of asking one host for one mailbox. */
export type Visit =
  /** The host did not take the connection. */
  | { kind: 'not_connected' }
  /** The host is being left alone for a while; nothing was sent. */
  | {
      kind: 'resting';
      reason: string;
      /** How long it will be left alone, if that is known. */
      forMs: number | undefined;
    }
  /** No egress address in question belongs to this process (any more); nothing was sent. */
  | { kind: 'not_ours' }
  /** Every egress address in question is closed, because block lists have it; nothing was sent. */
  | { kind: 'closed' }
  /** No egress address has a HELO name and a sender that are proven to be ours; nothing was sent. */
  | { kind: 'identity_unproven' }
  | { kind: 'answered'; evidence: MailboxEvidence & { kind: 'answered' } }
  | {
      kind: 'no_answer';
      evidence: MailboxEvidence & { kind: 'no_answer' };
      next: NextStep;
      /** Mail that the host will never take, by its own word: any mail, or mail to an address beyond ASCII. */
      declines?: 'mail' | 'smtputf8';
    };

/** The next step after a visit that gave no answer. */
type NextStep = 'stop' | 'next_host' | 'same_host';

/**
 * A request to ask one host for one mailbox, until it is settled.
 *
 *     waiting ──▶ in a session ──▶ answered ──▶ settled
 *      ▲  └────────────┬─┴── deadline or abort ────▶
 *      └── given back ─┘ unanswered, or with a doubt that a new conversation may settle
 *
 * It is settled once, whatever happens to the session after that. At its deadline an answer that is held counts. If
 * its caller withdraws it, it ends unless a host was asked for it and has not answered; then it ends if it is given
 * back.
 */
export type PendingProbe = Readonly<State>;

/** The first recipients of a conversation. The ordinary one was accepted before, and follows the target. */
export type Opening = Exclude<Doubt, { first: 'another' | 'anyone' }> & {
  /** A local part. */
  ordinary?: string | undefined;
};

/** Only the functions of this file change it. */
type State = MailboxRequest & {
  /** The mailbox as it goes over the wire. */
  readonly recipient: string;
  readonly deadline: number;
  readonly visit: Promise<Visit>;
  isSettled: boolean;
  /** Whether the session that has it has named its mailbox to the host. */
  isNamed: boolean;
  readonly withdrawn: StopSignal | undefined;
  /** An answer that is kept for the time being. */
  held: Visit | undefined;
  /** How often a session gave it back unasked or unanswered. */
  returns: number;
  /** How often it was given back with a doubt. */
  doubts: number;
  /** Set if it must begin a conversation, and with which recipients. */
  opening: Opening | undefined;
  /** The lines of earlier conversations about its domain. */
  heard: readonly Line[];
  /** Probes that its next conversation decides for, without naming them. */
  companions: readonly PendingProbe[];
  /** Called once when it is settled, in this order. */
  whenSettled: readonly (() => void)[];
  readonly resolve: (visit: Visit) => void;
  readonly reject: (error: unknown) => void;
  /** Stops watching the deadline and the abort. */
  readonly stopWatching: () => void;
};

export function createPendingProbe(request: MailboxRequest, patience: Patience, clock: Clock): PendingProbe {
  const { address, target, asker, egress, onNamed } = request;
  const { deadline, signal, withdrawn } = patience;
  const { promise: visit, resolve, reject } = Promise.withResolvers<Visit>();
  const probe: State = {
    address,
    target,
    asker,
    egress,
    onNamed,
    recipient: `${address.localPart}@${address.host}`,
    deadline,
    visit,
    isSettled: false,
    isNamed: false,
    withdrawn,
    held: undefined,
    returns: 0,
    doubts: 0,
    opening: undefined,
    heard: nobody,
    companions: nobody,
    whenSettled: nobody,
    resolve,
    reject,
    stopWatching,
  };
  const cancelTimer = clock.after(deadline - clock.now(), onDeadline);
  signal.addEventListener('abort', onAbort);
  withdrawn?.addEventListener('abort', onWithdrawn);
  function onDeadline(): void {
    settleProbe(probe, probe.held ?? lateVisit);
  }
  function onAbort(): void {
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    failProbe(probe, signal.reason);
  }
  function onWithdrawn(): void {
    if (!probe.isNamed) failProbe(probe, withdrawn?.reason);
  }
  function stopWatching(): void {
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
    withdrawn?.removeEventListener('abort', onWithdrawn);
  }
  return probe;
}

const nobody: readonly never[] = [];

export function settleProbe(probe: State, visit: Visit): void {
  if (end(probe)) probe.resolve(visit);
}

/** Ends a probe by an abort, or a defect of ours: the caller gets the error. */
export function failProbe(probe: State, error: unknown): void {
  if (end(probe)) probe.reject(error);
}

/** Ends a probe; returns false if it had ended before. */
function end(probe: State): boolean {
  if (probe.isSettled) return false;
  probe.isSettled = true;
  probe.stopWatching();
  for (const tell of probe.whenSettled) tell();
  return true;
}

/** Notes that the host is asked for the mailbox: it owes us an answer. */
export function nameProbe(probe: State): void {
  probe.isNamed = true;
}

/** Takes a probe back from its session; returns whether it waits for another one. */
export function takeBackProbe(probe: State): boolean {
  probe.isNamed = false;
  if (probe.withdrawn?.aborted === true) failProbe(probe, probe.withdrawn.reason);
  return !probe.isSettled;
}

/** Keeps an answer for the time being. */
export function holdVisit(probe: State, visit: Visit): void {
  probe.held = visit;
}

export function countReturn(probe: State): void {
  probe.returns += 1;
}

type KeptDoubt = Pick<State, 'opening' | 'heard' | 'companions'>;

/** Keeps the lines that a session heard, and the opening of the next one. */
export function keepDoubt(probe: State, { opening, heard, companions }: KeptDoubt): void {
  probe.doubts += 1;
  probe.opening = opening;
  probe.heard = heard;
  probe.companions = companions;
}

export function attachCompanions(probe: State, companions: readonly PendingProbe[]): void {
  probe.companions = companions;
}

export function tellWhenSettled(probe: State, tell: () => void): void {
  probe.whenSettled = withItem(probe.whenSettled, tell);
}

/** The visit of an address whose caller's time is up. */
const lateVisit: Visit = noAnswer(undefined, { reason: 'smtp_timeout', next: 'stop' });

/** How an unfinished session ended: by a fault of the connection, or by a reply and its meaning. */
export type Ending =
  | (Failure & { kind: 'broken' })
  | (Failure & { kind: 'refused' } & { meaning: ReplyMeaning; read: ReadReply });

/**
 * Whether the host left in the middle of a group: it answered some of the recipients, and not the others. A host that
 * hangs up may take the replies to the whole group along, that to MAIL included.
 */
export function isCutShort(failure: Failure): boolean {
  if (failure.kind === 'broken') return failure.fault === 'closed' && groupPhases.has(failure.phase);
  return failure.phase === 'rcpt' && failure.reply.code === 421;
}

const groupPhases: ReadonlySet<SmtpPhase> = new Set<SmtpPhase>(['rset', 'mail', 'rcpt', 'random_rcpt']);

/** Returns the visit of an address that a session ended without a word about. */
export function visitWithoutAnswer(
  ending: Ending,
  { host, traits }: { host: CanonicalHost; traits: HostTraits },
): Visit {
  if (ending.kind === 'broken')
    return noAnswer(host, { reason: reasonOf(ending.fault), next: nextAfterFault(ending, traits) });
  const { meaning, read } = ending;
  if (isNoMailGreeting(ending)) {
    const visit = noAnswer(host, { reason: 'host_refused', next: 'next_host', replies: [read] });
    return { ...visit, declines: 'mail' };
  }
  // Before the mailbox was named no refusal can be about it, whatever words it borrows.
  const aboutUs = meaning.label === 'blocked_or_policy' || meaning.label === 'greylisted_or_temporary';
  return noAnswer(host, {
    reason: 'host_refused',
    next: nextAfterRefusal(ending, traits),
    meaning: aboutUs ? meaning : undefined,
    replies: [read],
  });
}

/** Whether the host turns every client away, and not only us. */
export function isNoMailGreeting({ phase, reply }: Failure & { kind: 'refused' }): boolean {
  return phase === 'banner' && greetsWithNoMail(reply);
}

/**
 * Returns the visit of an address beyond ASCII; `isCertain`: the host showed all that it offers, inside TLS if it
 * has that.
 */
export function visitWithoutSmtputf8(host: CanonicalHost, isCertain: boolean): Visit {
  const visit = noAnswer(host, { reason: 'smtputf8_not_offered', next: 'next_host' });
  return isCertain ? { ...visit, declines: 'smtputf8' } : visit;
}

type Found = {
  reason: NoAnswerReason;
  next: NextStep;
  meaning?: ReplyMeaning | undefined;
  replies?: ReadReply[];
};

function noAnswer(
  host: CanonicalHost | undefined,
  { reason, next, meaning, replies = [] }: Found,
): Visit & { kind: 'no_answer' } {
  return {
    kind: 'no_answer',
    next,
    evidence: { kind: 'no_answer', reason, meaning, connected: true, host, replies },
  };
}

function reasonOf(fault: Fault): NoAnswerReason {
  switch (fault) {
    case 'timeout':
      return 'smtp_timeout';
    case 'closed':
      return 'connection_lost';
    case 'protocol_error':
    case 'tls_failed':
      return fault;
  }
}

/**
 * Returns the next step after a fault. Another host may do better if this one hung up or never greeted; a host that
 * breaks the protocol is left alone.
 */
function nextAfterFault({ phase, fault }: Failure & { kind: 'broken' }, traits: HostTraits): NextStep {
  if (fault === 'protocol_error') return 'stop';
  if (phase === 'starttls' && traits.tls === 'broken') return 'same_host';
  if (fault === 'closed') return 'next_host';
  return fault === 'timeout' && phase === 'banner' ? 'next_host' : 'stop';
}

function nextAfterRefusal({ phase, reply }: Failure & { kind: 'refused' }, traits: HostTraits): NextStep {
  if (reply.code === 421 && traits.tls === 'demanded' && demandsTls(reply)) return 'same_host';
  // A host that does not greet us at all may have moved, or be full: the next one may serve.
  return reply.code === 421 || phase === 'banner' || phase === 'ehlo' ? 'next_host' : 'stop';
}
