import type { Destination } from '../politeness/policy.ts';
import { providerOf } from '../replies/providers.ts';
import type { Command } from '../smtp/command.ts';
import { acceptsRecipient, isAccepted, type Step } from '../smtp/conversation.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { HostTraits } from './host-traits.ts';
import type { PendingProbe } from './pending-probe.ts';

/**
 * A group of recipients: the next commands of a session, and the meaning of their replies. Both are pure.
 *
 *     planGroup   the waiting probes, and the budget  ─▶  the commands that may leave together, and the probes left
 *     readGroup   the plan, and the replies           ─▶  one event for each recipient, and the budget after them
 *
 * A group never names more recipients than may still be refused, so that even the worst answer to all of it stays
 * within the limits. Recipients of one domain share a transaction, because some hosts take one domain at a time; the
 * next domain follows after RSET in the same group.
 */
export type SessionBudget = {
  /** Recipients that may still be named. */
  readonly recipientsLeft: number;
  /** Refusals that may still be provoked by the host's policy. */
  readonly refusalsLeft: number;
  /** Refusals after which this host is known to hang up; unanswered recipients are asked for again elsewhere. */
  readonly refusalsBeforeHangUp: number;
  /** Refusals that were heard so far. */
  readonly refusals: number;
  /** The transaction that is open, by `transactionOf`, and how many recipients were named in it. */
  readonly transaction: string | undefined;
  readonly recipientsInTransaction: number;
  readonly recipientsPerTransaction: number;
  /** Recipients that may be named at once. */
  readonly recipientsPerGroup: number;
  /** Whether made-up recipients come after the mailboxes, in a group of their own. */
  readonly madeUpLast: boolean;
};

export function startBudget({ target, policy }: Destination, traits: HostTraits): SessionBudget {
  const { recipientsPerConversation, refusalsPerConversation } = policy.politeness;
  const oneRecipient =
    traits.oneRecipient === true || providerOf(target.host)?.recipientsPerTransaction === 1;
  return {
    recipientsLeft: recipientsPerConversation,
    refusalsLeft: refusalsPerConversation,
    refusalsBeforeHangUp: traits.refusalsTaken ?? Infinity,
    refusals: 0,
    transaction: undefined,
    recipientsInTransaction: 0,
    recipientsPerTransaction: oneRecipient ? 1 : Infinity,
    recipientsPerGroup: traits.recipientsPerGroup ?? Infinity,
    madeUpLast: traits.madeUpLast === true || policy.countsUnknown,
  };
}

/**
 * One recipient to ask for, on behalf of a probe: its mailbox, a made-up one of its domain, or an ordinary one that was
 * accepted there before.
 */
export type RecipientQuestion =
  | { kind: 'target' | 'made_up'; probe: PendingProbe }
  | { kind: 'ordinary'; probe: PendingProbe; localPart: string };

export type GroupPlan = {
  /** Empty when nothing more may be said. */
  steps: readonly GroupStep[];
  /** Probes that are left for the next group. */
  pending: readonly PendingProbe[];
  owed: readonly RecipientQuestion[];
  closing: readonly RecipientQuestion[];
  /** The budget as it is when the steps have been said: the transaction that is then open. */
  budget: SessionBudget;
  /** Recipients in the transaction that was open before. */
  recipientsBefore: number;
};

type GroupStep = Step & { question: RecipientQuestion | undefined };

type Waiting = {
  pending: readonly PendingProbe[];
  /** Questions that come before all others, each as a recipient of its own. */
  owed: readonly RecipientQuestion[];
  /** Questions that come after all others, in a group of their own. There is always room left for them. */
  closing: readonly RecipientQuestion[];
};

export type PlanParts = {
  mailFrom: string;
  /** Whether the answer for a made-up address at this domain is neither known nor being asked for. */
  needsMadeUp(domain: CanonicalHost): boolean;
  /** Returns a local part that no mailbox has. */
  madeUpLocalPart(domain: CanonicalHost): string;
};

export function planGroup(waiting: Waiting, budget: SessionBudget, parts: PlanParts): GroupPlan {
  if (waiting.pending.length + waiting.owed.length + waiting.closing.length === 0) return nobodyWaits(budget);
  const room = roomIn(budget);
  const { transaction, recipientsInTransaction } = budget;
  const group: Group = { steps: [], transaction, recipientsInTransaction, budget, parts };
  const most = Math.max(0, room - waiting.closing.length);
  const owed = Math.min(most, waiting.owed.length);
  if (owed > 0) for (const question of waiting.owed.slice(0, owed)) ask(group, question);
  const pending = nameMailboxes(waiting.pending, group, { most, owed });
  const isLast = group.steps.length === 0;
  if (isLast) for (const question of waiting.closing.slice(0, room)) ask(group, question);
  return {
    steps: group.steps,
    pending,
    owed: owed === 0 ? waiting.owed : waiting.owed.slice(owed),
    closing: isLast ? nobody : waiting.closing,
    budget: {
      ...budget,
      transaction: group.transaction,
      recipientsInTransaction: group.recipientsInTransaction,
    },
    recipientsBefore: recipientsInTransaction,
  };
}

const nobody: readonly never[] = [];

function nobodyWaits(budget: SessionBudget): GroupPlan {
  const recipientsBefore = budget.recipientsInTransaction;
  return { steps: nobody, pending: nobody, owed: nobody, closing: nobody, budget, recipientsBefore };
}

/** How many recipients may still be named, and refused, in this conversation. */
export function roomIn({ recipientsLeft, refusalsLeft }: SessionBudget): number {
  return Math.min(recipientsLeft, refusalsLeft);
}

/** A group while it is being planned. */
type Group = {
  readonly steps: GroupStep[];
  /** The transaction that is open when the steps so far have been said, and how many recipients it has. */
  transaction: string | undefined;
  recipientsInTransaction: number;
  /** As it was before the group. */
  readonly budget: SessionBudget;
  readonly parts: PlanParts;
};

/** Names the waiting probes, as many as there is room for; returns the others. */
function nameMailboxes(
  waiting: readonly PendingProbe[],
  group: Group,
  { most, owed }: { most: number; owed: number },
): readonly PendingProbe[] {
  const { budget } = group;
  if (waiting.length === 0) return waiting;
  const pending = [...waiting];
  const enough = Math.min(most, budget.refusalsBeforeHangUp, budget.recipientsPerGroup);
  let named = owed;
  /** Places for made-up recipients that come later. */
  let kept = 0;
  while (pending.length > 0 && named < enough && named + kept < most) {
    const index = nextIndex(pending, group.transaction);
    const probe = pending[index];
    if (probe === undefined) break;
    const withMadeUp = needsMadeUp(group, probe.address.host);
    // A mailbox without its made-up one would be half an answer; the next conversation has room for both.
    const isFirst = named === 0 && budget.transaction === undefined;
    if (withMadeUp && named + kept + 2 > most && !isFirst) break;
    pending.splice(index, 1);
    ask(group, { kind: 'target', probe });
    named += 1;
    if (withMadeUp && budget.madeUpLast) kept += 1;
    if (!withMadeUp || budget.madeUpLast) continue;
    ask(group, { kind: 'made_up', probe });
    named += 1;
  }
  return pending;
}

function ask(group: Group, question: RecipientQuestion): void {
  const { host, needsSmtputf8: smtputf8 } = question.probe.address;
  openFor(question, group);
  group.recipientsInTransaction += 1;
  const command: Command = { verb: 'RCPT', localPart: localPartOf(question, group.parts), host, smtputf8 };
  group.steps.push({ phase: question.kind === 'made_up' ? 'random_rcpt' : 'rcpt', command, question });
}

function localPartOf(question: RecipientQuestion, parts: PlanParts): string {
  switch (question.kind) {
    case 'ordinary':
      return question.localPart;
    case 'target':
      return question.probe.address.localPart;
    case 'made_up':
      return parts.madeUpLocalPart(question.probe.address.host);
  }
}

/** Says the commands that come before one more recipient of this transaction. */
function openFor({ probe }: RecipientQuestion, group: Group): void {
  const { steps, transaction, budget, parts } = group;
  const wanted = transactionOf(probe);
  const mayShare = group.recipientsInTransaction < budget.recipientsPerTransaction;
  if (transaction === wanted && mayShare) return;
  if (transaction !== undefined)
    steps.push({ phase: 'rset', command: { verb: 'RSET' }, question: undefined });
  const { needsSmtputf8: smtputf8 } = probe.address;
  const command: Command = { verb: 'MAIL', from: parts.mailFrom, smtputf8 };
  steps.push({ phase: 'mail', command, question: undefined });
  group.transaction = wanted;
  group.recipientsInTransaction = 0;
}

function needsMadeUp({ steps, budget, parts }: Group, domain: CanonicalHost): boolean {
  if (!parts.needsMadeUp(domain)) return false;
  const isAskedFor = budget.madeUpLast ? namesDomain : asksForMadeUp;
  return !steps.some((step) => isAskedFor(step, domain));
}

function namesDomain({ question }: GroupStep, domain: CanonicalHost): boolean {
  return question?.probe.address.host === domain;
}

function asksForMadeUp({ question }: GroupStep, domain: CanonicalHost): boolean {
  return question?.kind === 'made_up' && question.probe.address.host === domain;
}

/** Probes that go into one transaction: one domain, and either all or none in need of SMTPUTF8. */
function transactionOf({ address }: PendingProbe): string {
  return address.needsSmtputf8 ? `utf8 ${address.host}` : address.host;
}

/** Returns the first probe of the open transaction, or else the first of all. */
function nextIndex(pending: readonly PendingProbe[], transaction: string | undefined): number {
  if (transaction === undefined) return 0;
  return Math.max(
    0,
    pending.findIndex((probe) => transactionOf(probe) === transaction),
  );
}

/** The replies to a group, read. The meaning of each is the business of the rules. */
type GroupReading = {
  events: RecipientEvent[];
  budget: SessionBudget;
  /** A reply belongs to another command than the one it followed: no reply of the conversation counts. */
  isShifted: boolean;
};

/** The meaning of the replies for one recipient. */
export type RecipientEvent =
  | { kind: 'answered'; question: RecipientQuestion; email: string; reply: Reply }
  /** The host would take this recipient in a transaction of its own. */
  | { kind: 'put_off'; question: RecipientQuestion; reply: Reply }
  /** The host counts the recipients that it refused, and answers for no further one in this conversation. */
  | { kind: 'counted'; question: RecipientQuestion; reply: Reply }
  /** Its transaction was turned down at MAIL, or the host said 421 and left. */
  | { kind: 'turned_away'; question: RecipientQuestion; phase: 'mail' | 'rcpt'; reply: Reply }
  | { kind: 'unanswered'; question: RecipientQuestion };

export function readGroup(
  { steps, budget, recipientsBefore }: GroupPlan,
  replies: readonly (Reply | undefined)[],
): GroupReading {
  const events: RecipientEvent[] = [];
  const cost: Cost = { recipients: 0, refusals: 0, hasPutOff: false };
  let mailRefusal: Reply | undefined;
  let accepted = recipientsBefore;
  // An index costs less than an iterator over pairs.
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index];
    if (step === undefined) break;
    const { command, question } = step;
    const reply = replies[index];
    if (command.verb === 'MAIL') {
      accepted = 0;
      mailRefusal = reply === undefined || isAccepted(reply) ? undefined : reply;
    }
    if (question === undefined || command.verb !== 'RCPT') continue;
    const isTarget = question.kind === 'target';
    const email = isTarget ? question.probe.recipient : `${command.localPart}@${command.host}`;
    const hasRefused = budget.refusals + cost.refusals > 0;
    const event = readRecipient({ question, email }, reply, { mailRefusal, accepted, hasRefused });
    events.push(event);
    addCost(cost, event);
    if (reply !== undefined && acceptsRecipient(reply)) accepted += 1;
  }
  return { events, budget: spend(budget, cost), isShifted: hasMisplaced(steps, replies) };
}

type Context = { mailRefusal: Reply | undefined; accepted: number; hasRefused: boolean };

function readRecipient(
  { question, email }: { question: RecipientQuestion; email: string },
  reply: Reply | undefined,
  { mailRefusal, accepted, hasRefused }: Context,
): RecipientEvent {
  if (mailRefusal !== undefined) return { kind: 'turned_away', question, phase: 'mail', reply: mailRefusal };
  if (reply === undefined) return { kind: 'unanswered', question };
  if (reply.code === 421) return { kind: 'turned_away', question, phase: 'rcpt', reply };
  if (hasRefused && reply.code >= 400 && countsRefusals(reply)) return { kind: 'counted', question, reply };
  if (accepted > 0 && wantsOwnTransaction(reply)) return { kind: 'put_off', question, reply };
  return { kind: 'answered', question, email, reply };
}

const onlyOneWords =
  /\b(?:too many recipients|one recipient|single recipient|separate transaction|multiple (?:destination|recipient))/i;

/** Whether a reply says "too many recipients", and would be another in a new transaction (RFC 3463 x.5.3). */
function wantsOwnTransaction({ code, enhanced, lines }: Reply): boolean {
  if (code < 400) return false;
  return code === 452 || enhanced?.endsWith('.5.3') === true || onlyOneWords.test(lines.join(' '));
}

const countingWords =
  /\b(?:too many|excessive|maximum (?:number )?of|limit (?:of|on)) (?:\w+ ){0,2}(?:errors?|unknown|invalid|bad|failed|failures|non-?existent|rejected|refused)\b/i;

/** Whether a reply says "too many invalid recipients": the host would answer in another conversation. */
export function countsRefusals({ lines }: Reply): boolean {
  return countingWords.test(lines.join(' '));
}

/**
 * Whether a reply stands in the wrong place: it names another recipient of the group and not its own. Or it is a
 * success that no recipient can get (RFC 5321 section 4.3.2).
 */
function hasMisplaced(steps: readonly GroupStep[], replies: readonly (Reply | undefined)[]): boolean {
  return steps.some(({ command }, index) => {
    const reply = replies[index];
    if (reply === undefined || command.verb !== 'RCPT') return false;
    if (reply.code < 300 && !acceptsRecipient(reply)) return true;
    return steps.length > 2 && namesAnother(reply, index, steps);
  });
}

function namesAnother(reply: Reply, index: number, steps: readonly GroupStep[]): boolean {
  const text = reply.lines.join(' ').toLowerCase();
  const own = steps[index];
  if (text.length < leastNameLetters || own === undefined) return false;
  return (
    steps.some((other, at) => at !== index && isNamed(other, text) && !isSameName(own, other)) &&
    !isNamed(own, text)
  );
}

/** Shorter local parts stand in too many words. */
const leastNameLetters = 5;

/** Whether a text names a recipient: a local part by itself must be long enough, or stand in brackets or quotes. */
function isNamed({ command }: GroupStep, text: string): boolean {
  if (command.verb !== 'RCPT') return false;
  const localPart = command.localPart.toLowerCase();
  if (!text.includes(localPart)) return false;
  if (mentions(text, `${localPart}@${command.host}`)) return true;
  return [`<${localPart}>`, `"${localPart}"`, `'${localPart}'`, `<${localPart}@`].some((name) =>
    text.includes(name),
  );
}

/** Whether two recipients share a name: a host may name a part of the local part, `ada` for `ada+news`. */
function isSameName(own: GroupStep, other: GroupStep): boolean {
  if (own.command.verb !== 'RCPT' || other.command.verb !== 'RCPT') return false;
  return own.command.localPart.toLowerCase().startsWith(other.command.localPart.toLowerCase());
}

/** Whether a reply names the recipient that it followed: then it is about that one, in any place. */
export function namesOwn({ lines }: Pick<Reply, 'lines'>, email: string): boolean {
  return mentions(lines.join(' ').toLowerCase(), email.toLowerCase());
}

/** Whether an address stands in a text as a whole: `ada@example.com` does not in `x.ada@example.com`. */
function mentions(text: string, email: string): boolean {
  for (let at = text.indexOf(email); at >= 0; at = text.indexOf(email, at + 1)) {
    const end = at + email.length;
    const isEnd = localPartEnd.test(text.slice(Math.max(0, at - 2), at));
    if (!isEnd && !domainGoesOn.test(text.slice(end, end + 2))) return true;
  }
  return false;
}

const localPartEnd = /[\p{L}\p{N}!#$%&*+/=?^_`{|}~.-]$/u;
const domainGoesOn = /^\.?[\p{L}\p{N}-]/u;

/** The cost of the replies to a group. */
type Cost = { recipients: number; refusals: number; hasPutOff: boolean };

function addCost(cost: Cost, event: RecipientEvent): void {
  if (event.kind !== 'answered' && event.kind !== 'put_off') return;
  cost.recipients += 1;
  if (event.reply.code >= 400) cost.refusals += 1;
  if (event.kind === 'put_off') cost.hasPutOff = true;
}

function spend(budget: SessionBudget, { recipients, refusals, hasPutOff }: Cost): SessionBudget {
  return {
    ...budget,
    recipientsLeft: budget.recipientsLeft - recipients,
    refusalsLeft: budget.refusalsLeft - refusals,
    refusalsBeforeHangUp: budget.refusalsBeforeHangUp - refusals,
    refusals: budget.refusals + refusals,
    recipientsPerTransaction: hasPutOff ? 1 : budget.recipientsPerTransaction,
  };
}
