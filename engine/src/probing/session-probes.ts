import type { Clock } from '../clock.ts';
import type { Asker } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { withItem } from '../with-item.ts';
import type { Said } from './contrast.ts';
import {
  countReturn,
  holdVisit,
  isCutShort,
  settleProbe,
  tellWhenSettled,
  type Ending,
  type PendingProbe,
  type Visit,
} from './pending-probe.ts';
import type { GroupPlan, RecipientQuestion } from './recipient-group.ts';

/**
 * The probes of one session, from being taken on to being settled or given back:
 *
 *     pending ──▶ named to the host ──▶ answered ──▶ settled, once the goodbye has shown that the session was in step
 *      │   ▲             │                  └──▶ given back, where the host left before it answered for a made-up one
 *      │   └─ put off ───┤
 *      │                 └──▶ left without an answer: given back, or settled with how the session ended
 *      └──▶ declined: needs SMTPUTF8, which the host does not offer
 *
 * Only the functions of this file change it. Thousands of sessions are open at once, and few hold more than one or
 * two probes: lists and not sets.
 */
type State = {
  readonly supply: ProbeSupply;
  /** As patient as the most patient of those who still wait, within the time that an address may take. */
  readonly patience: Patience;
  readonly limits: Limits;
  /** From when on the time counts that the host takes for whoever is next: what was waited behind others does not. */
  since: number;
  readonly onSettled: () => void;
  /** Whether the goodbye has been said: there is no connection left to close. */
  isOver: boolean;
  /** Everybody who was taken on. */
  all: readonly PendingProbe[];
  pending: readonly PendingProbe[];
  /** Questions that the host put off into a transaction of their own. */
  owed: readonly RecipientQuestion[];
  /** Questions that are asked when nobody else waits. */
  closing: readonly RecipientQuestion[];
  /** Named to the host, and no answer yet. */
  named: readonly PendingProbe[];
  answered: readonly MailboxAnswer[];
  declined: readonly PendingProbe[];
};

export type SessionProbes = Readonly<State>;

/** Where further probes come from, and where those go back that were not answered. */
export type ProbeSupply = {
  take(most: number): readonly PendingProbe[];
  giveBack(probes: readonly PendingProbe[]): void;
};

/** What the host said of a mailbox, each time it was asked for. */
export type MailboxAnswer = { probe: PendingProbe; said: readonly [Said, ...Said[]] };

/** How often a probe may go back to the queue because a session ended before it was answered. */
const mostReturns = 4;

/** Made once, since an abort without a reason makes an exception each time. */
const everybodyLeft = new Error('everybody who asked has left');

export function startProbes(
  first: PendingProbe,
  supply: ProbeSupply,
  { clock, limits }: { clock: Clock; limits: Limits },
): SessionProbes {
  const stop = new AbortController();
  const now = clock.now();
  const probes: State = {
    supply,
    patience: { deadline: now, signal: stop.signal },
    limits,
    since: now,
    isOver: false,
    all: nobody,
    pending: nobody,
    owed: nobody,
    closing: nobody,
    named: nobody,
    answered: nobody,
    declined: nobody,
    onSettled() {
      if (probes.isOver) return;
      // When the last of those who asked has left, the connection is closed: nobody is owed an answer.
      if (isAbandoned(probes)) stop.abort(everybodyLeft);
      else setDeadline(probes);
    },
  };
  takeOn(probes, [first]);
  return probes;
}

/** What most of the lists hold most of the time. None is ever changed, each is replaced. */
const nobody: readonly never[] = [];

export function isAbandoned({ all }: SessionProbes): boolean {
  return all.every(hasLeft);
}

function hasLeft({ isSettled }: PendingProbe): boolean {
  return isSettled;
}

/** All that is left is to tell what was heard. */
export function endSession(probes: State): void {
  probes.isOver = true;
}

/** As late as the last of those who still wait; where nobody does, it stays. */
function setDeadline({ all, patience, limits, since }: State): void {
  let latest: number | undefined;
  // At every reply: an index costs less than what steps through a list.
  for (let index = 0; index < all.length; index += 1) {
    const probe = all[index];
    if (probe === undefined || probe.isSettled) continue;
    const mayWaitUntil = Math.min(probe.deadline, since + phaseMs(probe.asker, limits));
    if (latest === undefined || mayWaitUntil > latest) latest = mayWaitUntil;
  }
  if (latest !== undefined) patience.deadline = latest;
}

function phaseMs({ urgency }: Asker, limits: Limits): number {
  return urgency === 'bulk' ? limits.bulkSmtpPhaseMs : limits.smtpPhaseMs;
}

/** Another recipient was answered: the time of those behind it begins now. */
export function noteProgress(probes: State, now: number): void {
  probes.since = now;
  setDeadline(probes);
}

/** As patient as the most patient of those who still wait. */
export function urgencyOf({ all }: SessionProbes): Asker['urgency'] {
  return all.some(waitsPatiently) ? 'bulk' : 'single';
}

function waitsPatiently({ asker, isSettled }: PendingProbe): boolean {
  return asker.urgency === 'bulk' && !isSettled;
}

function takeOn(probes: State, taken: readonly PendingProbe[]): void {
  if (taken.length === 0) return;
  probes.all = probes.all.concat(taken);
  // Whoever was left without an answer before comes first: a host that takes few refusals answers the first ones.
  const pending = probes.pending.concat(taken);
  probes.pending = pending.length > 1 ? pending.sort((one, other) => other.returns - one.returns) : pending;
  setDeadline(probes);
  for (const probe of taken) tellWhenSettled(probe, probes.onSettled);
}

export function takeMore(probes: State, most: number): void {
  takeOn(probes, probes.supply.take(most));
}

/** Leaves out whoever has left, and whoever cannot be named to this host. */
export function sift(probes: State, { smtputf8 }: { smtputf8: boolean }): void {
  if (probes.pending.every(smtputf8 ? stillWaits : canBeNamedAnywhere)) return;
  const waiting = probes.pending.filter(stillWaits);
  const isDeclined = (probe: PendingProbe): boolean => probe.address.needsSmtputf8 && !smtputf8;
  probes.pending = waiting.filter((probe) => !isDeclined(probe));
  probes.declined = probes.declined.concat(waiting.filter(isDeclined));
}

function stillWaits({ isSettled }: PendingProbe): boolean {
  return !isSettled;
}

function canBeNamedAnywhere({ isSettled, address }: PendingProbe): boolean {
  return !isSettled && !address.needsSmtputf8;
}

/** Takes note of whom the planned group names. */
export function beginGroup(probes: State, { steps, pending, owed, closing }: GroupPlan): void {
  probes.pending = pending;
  probes.owed = owed;
  probes.closing = closing;
  steps.forEach(({ question }) => {
    if (question?.kind === 'mailbox' && !isAnswered(probes, question.probe))
      probes.named = withItem(probes.named, question.probe);
  });
}

export function isAnswered({ answered }: SessionProbes, wanted: PendingProbe): boolean {
  return answered.some(({ probe }) => probe === wanted);
}

/** These are asked when everybody who waits has been named. */
export function askLast(probes: State, questions: readonly RecipientQuestion[]): void {
  probes.closing = probes.closing.concat(questions);
}

/** The host would answer this question in a transaction of its own: it comes first in the next group. */
export function putOff(probes: State, question: RecipientQuestion): void {
  if (question.kind === 'random_probe') {
    probes.owed = withItem(probes.owed, question);
    return;
  }
  probes.named = probes.named.filter((probe) => probe !== question.probe);
  probes.pending = [question.probe, ...probes.pending];
}

/** Keeps an answer until the goodbye; at the caller's deadline it counts as it is. */
export function holdAnswer(probes: State, answer: MailboxAnswer, visit: Visit): void {
  probes.named = probes.named.filter((probe) => probe !== answer.probe);
  probes.answered = withItem(probes.answered, answer);
  holdVisit(answer.probe, visit);
}

/** What the host says when it is asked for the same mailbox again. */
export function addAnswer(probes: State, probe: PendingProbe, said: Said): void {
  probes.answered = probes.answered.map((answer) =>
    answer.probe === probe ? { probe, said: [...answer.said, said] } : answer,
  );
}

/** Everybody who was named and not answered is to be asked for again. */
export function askAgain(probes: State): void {
  probes.pending = [...probes.named, ...probes.pending];
  probes.named = nobody;
}

/**
 * A session that ended before everybody was answered. Where it had borne fruit, or the host hung up on a whole group,
 * those left over are asked for in another one; else they share its ending.
 */
export function failRemaining(probes: State, ending: Ending, visit: Visit): void {
  const left = [...probes.named, ...probes.pending];
  const goesBack = (probe: PendingProbe): boolean => mayGoBack(probes, probe, ending);
  for (const probe of left) if (!goesBack(probe)) settleProbe(probe, visit);
  giveBack(probes, left.filter(goesBack), (probe) => isBarren(probes) || probes.named.includes(probe));
}

function mayGoBack(probes: State, probe: PendingProbe, ending: Ending): boolean {
  const isNamed = probes.named.includes(probe);
  // The replies to a group may be lost with the connection; asked for in smaller groups, its first ones are heard.
  if (isBarren(probes)) return ending.kind === 'broken' && isCutShort(ending) && probe.returns === 0;
  if (isNamed && probe.returns >= mostReturns) return false;
  return ending.kind === 'refused' || ending.fault === 'closed' || (ending.fault === 'timeout' && !isNamed);
}

function isBarren({ answered }: State): boolean {
  return answered.length === 0;
}

/** Answers that are of no use as they are: their probes are asked for again in another session. */
export function askElsewhere(probes: State, answers: readonly MailboxAnswer[]): void {
  if (answers.length === 0) return;
  probes.answered = probes.answered.filter((answer) => !answers.includes(answer));
  giveBack(
    probes,
    answers.map(({ probe }) => probe),
    () => true,
  );
}

/** Those that there was no room for go back to where they came from. */
export function giveBackPending(probes: State): void {
  giveBack(probes, probes.pending, () => false);
}

/** Nobody was asked: whoever came back often enough is told, the others may have better luck. */
export function giveBackOrGiveUp(probes: State): void {
  for (const probe of probes.pending)
    if (probe.returns >= mostReturns) settleProbe(probe, { kind: 'not_connected' });
  giveBack(probes, probes.pending, () => true);
}

/** Whoever was never named in a session that answered others has lost nothing by it: that return is not counted. */
function giveBack(
  probes: State,
  given: readonly PendingProbe[],
  counts: (probe: PendingProbe) => boolean,
): void {
  if (given.length === 0) return;
  const open = given.filter(stillWaits);
  for (const probe of open) if (counts(probe)) countReturn(probe);
  probes.named = probes.named.filter((probe) => !given.includes(probe));
  probes.pending = probes.pending.filter((probe) => !given.includes(probe));
  probes.supply.giveBack(open);
}
