import type { Socket } from 'node:net';
import type { Destination } from '../politeness/policy.ts';
import { startOutcome, type SessionOutcome } from '../politeness/session-outcome.ts';
import type { ReplyClassifier } from '../replies/classifier/create-reply-classifier.ts';
import type { Limits } from '../limits.ts';
import type { RouteDialOutcome } from '../routes/create-route-dialer.ts';
import type { Route } from '../routes/create-routes.ts';
import type { MailPortWatch } from '../routes/watch-mail-port.ts';
import {
  exchange,
  openConversation,
  sayGoodbye,
  type Conversation,
  type ConversationParts,
  type Failure,
} from '../smtp/conversation.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { CatchAllLookups } from './catch-all-lookups.ts';
import type { HostMemory } from './host-traits.ts';
import {
  failProbe,
  isCutShort,
  settleProbe,
  visitWithoutSmtputf8,
  type Ending,
  type PendingProbe,
  type Visit,
} from './pending-probe.ts';
import {
  planGroup,
  readGroup,
  startBudget,
  type GroupPlan,
  type PlanParts,
  type RecipientEvent,
  type SessionBudget,
} from './recipient-group.ts';
import {
  answerRandomProbe,
  claimRandomProbes,
  dropClaims,
  interpret,
  needsRandomProbe,
  noteAnswer,
} from './session-answers.ts';
import { contrastQuestions, leftOpen } from './session-contrast.ts';
import {
  askAgain,
  askElsewhere,
  askLast,
  beginGroup,
  endSession,
  failRemaining,
  giveBackOrGiveUp,
  giveBackPending,
  isAbandoned,
  noteProgress,
  putOff,
  sift,
  startProbes,
  takeMore,
  urgencyOf,
  type ProbeSupply,
  type SessionProbes,
} from './session-probes.ts';
import { reportAnswer, visitAfter } from './session-report.ts';
import type { RandomProbe } from './session-contrast.ts';
import { encryptFor, isDemandAtRecipient, isDemandForTls, whyEncrypt } from './session-tls.ts';

/**
 * One conversation with one mail host, from dialling to goodbye, about as many addresses as wait for it and as its
 * policy allows.
 *
 *     dialling ──▶ greeting ──▶ asking ⟲ ──▶ leaving ──▶ reporting
 *        │            │            └ turned away, or broken ▲  ▲
 *        │            └── turned away, or broken ───────────┘  │
 *        └── not connected ────────────────────────────────────┘
 *
 * - dialling: for the one probe that the session was begun for; by the time the host has greeted, more may wait.
 * - greeting: banner and EHLO, and STARTTLS where this host is known to demand it.
 * - asking: plan a group of recipients, say it, read the replies, do what follows from them; then the next group,
 *   until nobody waits or the budget is spent. Where a reply demands TLS, the questions it left open are asked again
 *   inside it; where the answers leave a doubt that a contrast may settle, some are asked again at the end.
 * - leaving: QUIT, whose reply shows whether those before it were in step (docs/decisions/0003).
 * - reporting: every probe that was taken on is settled or given back, however the session ended.
 *
 * What the session knows is changed here and in `session-answers.ts`; who was taken on, in `session-probes.ts`. Thousands are open at
 * once, so the parts are shared and not copied.
 */
export async function runSession(
  order: SessionOrder,
  parts: SessionParts,
): Promise<SessionOutcome | undefined> {
  const session = startSession(order, parts);
  const { probes } = session;
  if (isAbandoned(probes)) return undefined;
  try {
    const dialled = await parts.route.dial(order.destination.target, probes.patience);
    if (dialled.kind !== 'connected') return reportNotDialled(session, dialled.why);
    await converse(session, dialled.socket);
    return session.outcome;
  } catch (error) {
    // A defect of ours is told as an error, not as an answer. Who has left already hears of neither.
    for (const probe of probes.all) failProbe(probe, error);
    return session.outcome;
  } finally {
    dropClaims(session);
  }
}

function startSession({ destination, first, supply }: SessionOrder, parts: SessionParts): SmtpSession {
  return {
    destination,
    parts,
    probes: startProbes(first, supply, parts),
    startedAt: parts.clock.now(),
    outcome: startOutcome(),
    egressAddress: undefined,
    budget: startBudget(destination, parts.hosts.recall(destination.target.host)),
    claims: nothing,
    randomProbes: nothing,
    named: 0,
    isClosing: false,
  };
}

const nothing: readonly never[] = [];

export type SessionOrder = {
  destination: Destination;
  /** The probe that the session is begun for. */
  first: PendingProbe;
  supply: ProbeSupply;
};

export type SessionParts = ConversationParts & {
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

export type SmtpSession = {
  readonly destination: Destination;
  readonly parts: SessionParts;
  readonly probes: SessionProbes;
  readonly startedAt: number;
  readonly outcome: SessionOutcome;
  /** Where we connect from, once we do. */
  egressAddress: string | undefined;
  budget: SessionBudget;
  /** Domains whose random probe this session has taken on to ask for. */
  claims: readonly CanonicalHost[];
  /** What became of them. */
  randomProbes: readonly RandomProbe[];
  /** Recipients that were named and answered so far. */
  named: number;
  /** Whether it has begun to ask again for what left a doubt: nobody joins it any more. */
  isClosing: boolean;
};

/** Greeting, asking, leaving and reporting. */
async function converse(session: SmtpSession, socket: Socket): Promise<void> {
  const { parts, probes, destination } = session;
  const { host, address } = destination.target;
  parts.mailPort.note(address, 'connected');
  session.egressAddress = socket.localAddress;
  const urgency = urgencyOf(probes);
  const opened = await openConversation({ socket, host, urgency }, parts, probes.patience);
  const connection = opened.kind === 'open' ? opened.conversation.connection : opened.connection;
  try {
    if (opened.kind !== 'open') takeThoseBehind(session);
    const failure = opened.kind === 'open' ? await askForAll(session, opened.conversation) : opened;
    const ending = failure === undefined ? undefined : noteEnding(session, failure);
    const goodbye = await sayGoodbye(connection, parts, probes.patience);
    report(session, { failure, ending, goodbye });
  } finally {
    connection.destroy();
  }
}

type Parting = {
  failure: Failure | undefined;
  ending: Ending | undefined;
  goodbye: 'in_step' | 'out_of_step';
};

function report(session: SmtpSession, { failure, ending, goodbye }: Parting): void {
  const { probes, destination } = session;
  endSession(probes);
  askElsewhere(probes, leftOpen(session, failure));
  dropClaims(session);
  for (const probe of probes.declined) settleProbe(probe, visitWithoutSmtputf8(destination.target.host));
  for (const answer of probes.answered) reportAnswer(session, answer, goodbye);
  if (ending === undefined) giveBackPending(probes);
  else failRemaining(probes, ending, visitAfter(session, ending));
}

/** Answers the failure where the host turned us away or the connection broke. */
async function askForAll(session: SmtpSession, conversation: Conversation): Promise<Failure | undefined> {
  const { probes, parts } = session;
  const { clock, limits } = parts;
  const whyTls = whyEncrypt(session, conversation);
  const refusedTls = whyTls === undefined ? undefined : await encryptFor(whyTls, session, conversation);
  if (refusedTls !== undefined) return refusedTls;
  const planning = planParts(session);
  const onReply = (now: number): void => noteProgress(probes, now);
  for (;;) {
    refill(session, conversation);
    const plan = planGroup(probes, session.budget, planning);
    if (plan.steps.length === 0 && !beginClosing(session)) return undefined;
    if (plan.steps.length === 0) continue;
    beginGroup(probes, plan);
    claimRandomProbes(session, plan);
    const said = await exchange(conversation, plan.steps, {
      clock,
      limits,
      patience: probes.patience,
      urgency: urgencyOf(probes),
      onReply,
    });
    const { events, budget } = readGroup(plan, said.replies);
    session.budget = budget;
    if (isSlowAtRefusing(said, limits)) nameFewer(session);
    const failure = apply(session, events, conversation) ?? said.broken;
    if (failure === undefined) continue;
    if (!isDemandForTls(failure, session, conversation)) return learnFrom(failure, plan, session);
    const failed = await encryptFor('their_demand', session, conversation);
    if (failed !== undefined) return failed;
    session.budget = { ...budget, transaction: undefined, recipientsInTransaction: 0 };
    askAgain(probes);
    dropClaims(session);
  }
}

/** Whether a refusal took long: by itself, or where the replies came all at once, as its share of all. */
function isSlowAtRefusing(said: Exchanged, { slowRefusalMs }: Limits): boolean {
  const allMs = said.tookMs.reduce(add, 0);
  return allMs >= slowRefusalMs && hasSlowRefusal(said, allMs, slowRefusalMs);
}

function hasSlowRefusal({ replies, tookMs }: Exchanged, allMs: number, slowMs: number): boolean {
  return replies.some(
    (reply, index) =>
      reply !== undefined &&
      reply.code >= 500 &&
      Math.max(tookMs[index] ?? 0, allMs / replies.length) >= slowMs,
  );
}

type Exchanged = Awaited<ReturnType<typeof exchange>>;

const add = (one: number, other: number): number => one + other;

/** A host that punishes each refusal with a delay, as Courier does, is given few at once, and no made-up one beside them. */
function nameFewer(session: SmtpSession): void {
  const careful = { recipientsPerGroup: 2, randomProbeLast: true } as const;
  session.budget = { ...session.budget, ...careful };
  session.parts.hosts.learn(session.destination.target.host, careful);
}

/** Takes more of those who wait, unless this session has lasted long enough. */
function refill(session: SmtpSession, { capabilities }: Conversation): void {
  const { probes, parts, startedAt, budget, isClosing } = session;
  const isYoung = !isClosing && parts.clock.now() - startedAt < parts.limits.smtpPhaseMs / 2;
  const asked = probes.pending.length + probes.closing.length;
  takeMore(probes, isYoung ? budget.recipientsLeft - asked : 0);
  sift(probes, capabilities);
}

/** When nobody is left to be named: whether there is something to ask again. */
function beginClosing(session: SmtpSession): boolean {
  const questions = contrastQuestions(session);
  if (questions.length === 0) return false;
  session.isClosing = true;
  session.budget = { ...session.budget, placesKept: 0 };
  // What is said after the comparison would not stand within it.
  giveBackPending(session.probes);
  askLast(session.probes, questions);
  return true;
}

function planParts(session: SmtpSession): PlanParts {
  const { parts } = session;
  return {
    mailFrom: parts.route.mailFrom,
    randomLocalPart: (domain) => parts.randomLocalPart(domain),
    needsRandomProbe: (domain) => needsRandomProbe(session, domain),
  };
}

/** Does what follows from the replies to a group; answers the refusal where one turns us away altogether. */
function apply(
  session: SmtpSession,
  events: readonly RecipientEvent[],
  conversation: Conversation,
): Failure | undefined {
  const { parts, probes, destination } = session;
  let refusal: Failure | undefined;
  for (const event of events) {
    switch (event.kind) {
      case 'unanswered':
        break;
      case 'turned_away':
        refusal ??= { kind: 'refused', phase: event.phase, reply: event.reply };
        break;
      case 'put_off':
        session.named += 1;
        parts.hosts.learn(destination.target.host, { oneRecipient: true });
        putOff(probes, event.question);
        break;
      case 'answered':
        session.named += 1;
        if (isDemandAtRecipient(event.reply, conversation)) {
          refusal ??= { kind: 'refused', phase: 'rcpt', reply: event.reply };
          putOff(probes, event.question);
        } else if (event.question.kind === 'mailbox') noteAnswer(session, event.question.probe, event.reply);
        else answerRandomProbe(session, event.question.probe.address.host, event.reply);
        break;
    }
  }
  return refusal;
}

/** A host that left in the middle of a group is asked more carefully from now on. */
function learnFrom(failure: Failure, plan: GroupPlan, session: SmtpSession): Failure {
  if (!isCutShort(failure)) return failure;
  const { budget, destination, parts, probes } = session;
  const refusals = destination.policy.politeness.refusalsPerConversation - budget.refusalsLeft;
  const recipients = plan.steps.filter(({ question }) => question !== undefined).length;
  const taken = refusals > 0 && probes.answered.length > 0 ? { refusalsTaken: refusals } : undefined;
  // Where no refusal was heard, nothing but the size of the group is left to blame.
  const fewer = { recipientsPerGroup: Math.max(1, Math.floor(recipients / 2)) };
  parts.hosts.learn(destination.target.host, { ...(taken ?? fewer), randomProbeLast: true });
  return failure;
}

/** What befell the probe that a session was begun for would have befallen those behind it. */
function takeThoseBehind({ probes, destination }: SmtpSession): void {
  takeMore(probes, destination.policy.politeness.recipientsPerConversation);
}

function reportNotDialled(session: SmtpSession, why: WhyNotDialled): SessionOutcome | undefined {
  const { probes, parts, destination, outcome } = session;
  if (why === 'route_down') {
    // Nothing was learnt about the host: another way out may reach it.
    giveBackOrGiveUp(probes);
    return undefined;
  }
  // A forbidden address was never dialled, and so says nothing about the port.
  if (why !== 'forbidden') parts.mailPort.note(destination.target.address, why);
  outcome.connected = false;
  takeThoseBehind(session);
  const visit: Visit =
    why === 'timeout' ? { kind: 'not_connected', silent: true } : { kind: 'not_connected' };
  for (const probe of probes.pending) settleProbe(probe, visit);
  return outcome;
}

type WhyNotDialled = Exclude<RouteDialOutcome, { kind: 'connected' }>['why'];

/** "421 too many errors": the host counts what it refused in this conversation, and would take us again in another. */
const countingWords =
  /\btoo many (?:\w+ ){0,2}(?:errors?|unknown|invalid|bad|failed|failures|rejected|refused|recipients|users)\b/i;

/** Takes note of how it ended, and reads the refusal where it ended by one: once, for all who hear of it. */
function noteEnding(session: SmtpSession, failure: Failure): Ending {
  const { outcome, probes, randomProbes } = session;
  if (failure.kind === 'broken') {
    outcome.fault = failure.fault;
    return failure;
  }
  const { kind, phase, reply } = failure;
  const { meaning, read } = interpret(session, { phase, reply });
  const hasAnswered = probes.answered.length + randomProbes.length > 0;
  const hasCounted = isCutShort(failure) && hasAnswered && countingWords.test(reply.lines.join(' '));
  if (hasCounted) outcome.fault = 'closed';
  else outcome.turnedAway = { reply, meaning };
  return { kind, phase, reply, meaning, read };
}
