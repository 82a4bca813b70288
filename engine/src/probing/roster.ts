import type { Clock } from '../clock.ts';
import type { Asker } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import { Stop, type Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { withItem } from '../with-item.ts';
import {
  attachCompanions,
  countReturn,
  nameProbe,
  tellWhenSettled,
  type PendingProbe,
} from './pending-probe.ts';
import type { GroupPlan, RecipientQuestion } from './recipient-group.ts';

/** The source of further probes, to which unanswered ones go back. */
export type ProbeSupply = {
  take(most: number): readonly PendingProbe[];
  giveBack(probes: readonly PendingProbe[]): void;
  /** Whether other conversations with the same address are open. */
  hasOthersOpen(): boolean;
};

/**
 * The probes of one session, from being taken on to being answered or given back:
 *
 *     pending ──▶ named to the host ──▶ answered
 *      │   ▲             │
 *      │   └─ put off ───┤
 *      │                 └──▶ left without an answer
 *      └──▶ declined: needs SMTPUTF8, which the host does not offer
 *
 * Thousands of sessions are open at once, and few hold more than one or two probes: lists and not sets. No list is
 * ever changed; each is replaced.
 */
export class Roster {
  /** As patient as the most patient of the callers that still wait, within the time that an address may take. */
  readonly patience: Patience;
  /** Every probe that was taken on. */
  all: readonly PendingProbe[] = none;
  pending: readonly PendingProbe[] = none;
  /** Questions that come before all others. */
  owed: readonly RecipientQuestion[] = none;
  /** Questions that come when no other is left. */
  closing: readonly RecipientQuestion[] = none;
  /** Named to the host, and no answer yet. */
  named: readonly PendingProbe[] = none;
  declined: readonly DeclinedProbe[] = none;
  /** Companions of the first: answered in an earlier conversation, and decided for by this one. */
  readonly carried: readonly PendingProbe[];
  private readonly supply: ProbeSupply;
  private readonly limits: Limits;
  private readonly stop = new Stop();
  /** When the host's time for the next recipient begins: the wait behind others does not count. */
  private since: number;
  private isOver = false;

  constructor(first: PendingProbe, supply: ProbeSupply, { clock, limits }: { clock: Clock; limits: Limits }) {
    const now = clock.now();
    this.supply = supply;
    this.limits = limits;
    this.since = now;
    this.patience = { deadline: now, signal: this.stop.signal };
    const opening = openingQuestions(first);
    if (opening.length === 0) this.pending = [first];
    else this.owed = opening;
    this.carried = first.companions;
    if (this.carried.length > 0) attachCompanions(first, none);
    this.takeOn(this.carried.length === 0 ? [first] : [first, ...this.carried]);
  }

  isAbandoned(): boolean {
    return this.all.every(hasLeft);
  }

  /** Ends the session's watch: there is no connection left to close. */
  end(): void {
    this.isOver = true;
  }

  /** Begins the time of the next recipient: another one was answered. */
  noteProgress(now: number): void {
    this.since = now;
    this.setDeadline();
  }

  /** Returns the urgency of the most patient caller that still waits. */
  urgency(): Asker['urgency'] {
    return this.all.some(waitsPatiently) ? 'bulk' : 'single';
  }

  takeMore(most: number): void {
    const taken = this.supply.take(most);
    if (taken.length === 0) return;
    this.takeOn(taken);
    // A probe that was left without an answer comes first: a host that takes few refusals answers the first ones.
    const pending = this.pending.concat(taken);
    this.pending = pending.length > 1 ? pending.sort((one, other) => other.returns - one.returns) : pending;
  }

  /** Leaves out probes whose caller has left, and those that cannot be named to this host. */
  sift({ smtputf8, starttls, isWhole }: Offered): void {
    if (!smtputf8) this.owed = this.owed.filter(({ probe }) => !probe.address.needsSmtputf8);
    if (this.pending.every(smtputf8 ? stillWaits : canBeNamedAnywhere)) return;
    const waiting = this.pending.filter(stillWaits);
    const isDeclined = (probe: PendingProbe): boolean => probe.address.needsSmtputf8 && !smtputf8;
    this.pending = waiting.filter((probe) => !isDeclined(probe));
    const isCertain = isWhole && !starttls;
    this.declined = this.declined.concat(waiting.filter(isDeclined).map((probe) => ({ probe, isCertain })));
  }

  /** Whether a probe waits that can only be named to a host with SMTPUTF8. */
  needsSmtputf8(): boolean {
    return this.pending.some(({ isSettled, address }) => !isSettled && address.needsSmtputf8);
  }

  /** Whether a made-up recipient of the domain is among the questions to come. */
  asksForMadeUp(domain: CanonicalHost): boolean {
    const isIt = ({ kind, probe }: RecipientQuestion): boolean =>
      kind === 'made_up' && probe.address.host === domain;
    return this.owed.some(isIt) || this.closing.some(isIt);
  }

  /** Notes the recipients that the planned group names. */
  begin({ steps, pending, owed, closing }: GroupPlan): void {
    this.pending = pending;
    this.owed = owed;
    this.closing = closing;
    for (const { question } of steps) {
      if (question?.kind !== 'target') continue;
      this.named = withItem(this.named, question.probe);
      nameProbe(question.probe);
    }
  }

  answered(probe: PendingProbe): void {
    this.named = this.named.filter((one) => one !== probe);
  }

  /** Asks again later: the host would answer this question in another transaction, or after STARTTLS. */
  putOff(question: RecipientQuestion): void {
    if (question.kind === 'target') this.answered(question.probe);
    this.owed = withItem(this.owed, question);
  }

  /** Takes a recipient back that the host would answer for in another conversation. */
  putBack(probe: PendingProbe): void {
    this.answered(probe);
    this.pending = [probe, ...this.pending];
  }

  askLast(questions: readonly RecipientQuestion[]): void {
    this.closing = questions;
  }

  /** Gives up the questions that have not been asked; the probes stay. */
  dropQuestions(): void {
    this.owed = none;
    this.closing = none;
  }

  /** Puts the named ones that were not answered back, to be asked for again. */
  askAgain(): void {
    this.pending = [...this.named, ...this.pending];
    this.named = none;
  }

  /** Gives probes back to the queue; `counts` says which have lost a try by this session. */
  giveBack(given: readonly PendingProbe[], counts: (probe: PendingProbe) => boolean): void {
    if (given.length === 0) return;
    const open = given.filter(stillWaits);
    for (const probe of open) if (counts(probe)) countReturn(probe);
    this.named = this.named.filter((probe) => !given.includes(probe));
    this.pending = this.pending.filter((probe) => !given.includes(probe));
    this.supply.giveBack(open);
  }

  private takeOn(taken: readonly PendingProbe[]): void {
    this.all = this.all.length === 0 ? taken : this.all.concat(taken);
    this.setDeadline();
    for (const probe of taken) tellWhenSettled(probe, this.onSettled);
  }

  private readonly onSettled = (): void => {
    if (this.isOver) return;
    // When the last caller has left, the connection is closed: no answer is owed.
    if (this.isAbandoned()) this.stop.abort(everybodyLeft);
    else this.setDeadline();
  };

  /** Sets the deadline of the last caller that still waits; it stays as it is if none does. */
  private setDeadline(): void {
    const { all, limits, since } = this;
    let latest: number | undefined;
    // Runs at every reply: an index costs less than an iterator.
    for (let index = 0; index < all.length; index += 1) {
      const probe = all[index];
      if (probe === undefined || probe.isSettled) continue;
      const mayWaitUntil = Math.min(probe.deadline, since + phaseMs(probe.asker, limits));
      if (latest === undefined || mayWaitUntil > latest) latest = mayWaitUntil;
    }
    if (latest !== undefined) this.patience.deadline = latest;
  }
}

/** The extensions of a host that decide which probes can be named to it. */
type Offered = { smtputf8: boolean; starttls: boolean; isWhole: boolean };

/** `isCertain`: no extension is hidden by HELO, by a middlebox, or until TLS is spoken. */
type DeclinedProbe = { probe: PendingProbe; isCertain: boolean };

const none: readonly never[] = [];

const everybodyLeft = new Error('all callers have left');

/** Returns the questions that a conversation begun for this probe has to begin with. */
function openingQuestions(probe: PendingProbe): readonly RecipientQuestion[] {
  const { opening } = probe;
  if (opening === undefined) return none;
  const target = { kind: 'target', probe } as const;
  const madeUp = { kind: 'made_up', probe } as const;
  if (opening.first === 'made_up') return [madeUp, target];
  if (opening.then === 'made_up') return [target, madeUp];
  const { ordinary: localPart } = opening;
  return localPart === undefined ? [target] : [target, { kind: 'ordinary', probe, localPart }];
}

function phaseMs({ urgency }: Asker, limits: Limits): number {
  return urgency === 'bulk' ? limits.bulkSmtpPhaseMs : limits.smtpPhaseMs;
}

function hasLeft({ isSettled }: PendingProbe): boolean {
  return isSettled;
}

function stillWaits({ isSettled }: PendingProbe): boolean {
  return !isSettled;
}

function waitsPatiently({ asker, isSettled }: PendingProbe): boolean {
  return asker.urgency === 'bulk' && !isSettled;
}

function canBeNamedAnywhere({ isSettled, address }: PendingProbe): boolean {
  return !isSettled && !address.needsSmtputf8;
}
