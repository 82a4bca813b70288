import type { ReadReply } from '../evidence.ts';
import type { Patience } from '../patience.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import type { Ending, PendingProbe, Visit } from './pending-probe.ts';
import type { GroupPlan, RecipientQuestion } from './recipient-group.ts';

/**
 * The probes of one session, from being taken on to being settled or given back:
 *
 *     pending ──▶ named to the host ──▶ answered ──▶ settled, once the goodbye has shown that the session was in step
 *      │   ▲             │
 *      │   └─ put off ───┤
 *      │                 └──▶ left without an answer: given back, or settled with how the session ended
 *      └──▶ declined: needs SMTPUTF8, which the host does not offer
 *
 * Only the functions of this file change it. Thousands of sessions are open at once, and few hold more than one or
 * two probes: lists and not sets.
 */
type State = {
  readonly supply: ProbeSupply;
  /** As patient as the most patient of those who still wait, within the time of a session. */
  readonly patience: Patience;
  /** When the session has to be over, whoever waits. */
  readonly latestEnd: number;
  readonly onSettled: () => void;
  /** Everybody who was taken on. */
  all: PendingProbe[];
  pending: PendingProbe[];
  /** Questions that the host put off into a transaction of their own. */
  owed: RecipientQuestion[];
  /** Named to the host, and no answer yet. */
  named: PendingProbe[];
  answered: MailboxAnswer[];
  declined: PendingProbe[];
};

export type SessionProbes = Readonly<State>;

/** Where further probes come from, and where those go back that were not answered. */
export type ProbeSupply = {
  take(most: number): PendingProbe[];
  giveBack(probes: PendingProbe[]): void;
};

export type MailboxAnswer = { probe: PendingProbe; meaning: ReplyMeaning; reply: ReadReply };

/** How often a probe may go back to the queue because a session ended before it was answered. */
const mostReturns = 4;

/** Made once, since an abort without a reason makes an exception each time. */
const everybodyLeft = new Error('everybody who asked has left');

export function startProbes(first: PendingProbe, supply: ProbeSupply, latestEnd: number): SessionProbes {
  const stop = new AbortController();
  const probes: State = {
    supply,
    patience: { deadline: latestEnd, signal: stop.signal },
    latestEnd,
    all: [],
    pending: [],
    owed: [],
    named: [],
    answered: [],
    declined: [],
    onSettled() {
      // When the last of those who asked has left, the connection is closed: nobody is owed an answer.
      if (isAbandoned(probes)) stop.abort(everybodyLeft);
      else setDeadline(probes);
    },
  };
  takeOn(probes, [first]);
  return probes;
}

export function isAbandoned({ all }: SessionProbes): boolean {
  return all.every((probe) => probe.isSettled());
}

function setDeadline({ all, patience, latestEnd }: State): void {
  const deadlines = all.filter((probe) => !probe.isSettled()).map((probe) => probe.deadline);
  patience.deadline = Math.min(latestEnd, Math.max(...deadlines));
}

function takeOn(probes: State, taken: PendingProbe[]): void {
  if (taken.length === 0) return;
  probes.all = probes.all.concat(taken);
  probes.pending = probes.pending.concat(taken);
  setDeadline(probes);
  for (const probe of taken) probe.onSettled(probes.onSettled);
}

export function takeMore(probes: State, most: number): void {
  takeOn(probes, probes.supply.take(most));
}

/** Leaves out whoever has left, and whoever cannot be named to this host. */
export function sift(probes: State, { smtputf8 }: { smtputf8: boolean }): void {
  const waiting = probes.pending.filter((probe) => !probe.isSettled());
  const isDeclined = (probe: PendingProbe): boolean => probe.address.needsSmtputf8 && !smtputf8;
  probes.pending = waiting.filter((probe) => !isDeclined(probe));
  probes.declined = probes.declined.concat(waiting.filter(isDeclined));
}

/** Takes note of whom the planned group names. */
export function beginGroup(probes: State, { steps, pending, owed }: GroupPlan): void {
  probes.pending = pending;
  probes.owed = owed;
  for (const { question } of steps)
    if (question?.kind === 'mailbox') probes.named = probes.named.concat(question.probe);
}

/** The host would answer this question in a transaction of its own: it comes first in the next group. */
export function putOff(probes: State, question: RecipientQuestion): void {
  if (question.kind === 'random_probe') {
    probes.owed = probes.owed.concat(question);
    return;
  }
  probes.named = probes.named.filter((probe) => probe !== question.probe);
  probes.pending = [question.probe, ...probes.pending];
}

/** Keeps an answer until the goodbye; at the caller's deadline it counts as it is. */
export function holdAnswer(probes: State, answer: MailboxAnswer, visit: Visit): void {
  probes.named = probes.named.filter((probe) => probe !== answer.probe);
  probes.answered = probes.answered.concat(answer);
  answer.probe.hold(visit);
}

/** Everybody who was named and not answered is to be asked for again. */
export function askAgain(probes: State): void {
  probes.pending = [...probes.named, ...probes.pending];
  probes.named = [];
}

/**
 * A session that ended before everybody was answered. Where it had borne fruit, those left over are asked for in
 * another one; where it bore none, they share its ending.
 */
export function failRemaining(probes: State, ending: Ending, visit: Visit): void {
  const left = [...probes.named, ...probes.pending];
  const goesBack = (probe: PendingProbe): boolean => mayGoBack(probes, probe, ending);
  for (const probe of left) if (!goesBack(probe)) probe.settle(visit);
  giveBack(probes, left.filter(goesBack));
}

function mayGoBack({ answered, named }: State, probe: PendingProbe, ending: Ending): boolean {
  if (answered.length === 0 || probe.returns() >= mostReturns) return false;
  if (ending.kind === 'refused') return true;
  if (ending.fault === 'timeout') return !named.includes(probe);
  return ending.fault === 'closed';
}

/** Those that there was no room for go back to where they came from. */
export function giveBackPending(probes: State): void {
  giveBack(probes, probes.pending);
}

/** Nobody was asked: whoever came back often enough is told, the others may have better luck. */
export function giveBackOrGiveUp(probes: State): void {
  for (const probe of probes.pending)
    if (probe.returns() >= mostReturns) probe.settle({ kind: 'not_connected' });
  giveBackPending(probes);
}

function giveBack(probes: State, given: PendingProbe[]): void {
  const open = given.filter((probe) => !probe.isSettled());
  for (const probe of open) probe.countReturn();
  probes.named = [];
  probes.pending = [];
  probes.supply.giveBack(open);
}
