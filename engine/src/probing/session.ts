import type { Socket } from 'node:net';
import type { SmtpPhase } from '../evidence.ts';
import { noteEnd, noteRecipient, startOutcome, type SessionOutcome } from '../politeness/session-outcome.ts';
import { providerOf } from '../replies/providers.ts';
import { sanitiseReply } from '../replies/sanitise-reply.ts';
import type { RouteDialOutcome } from '../routes/create-route-dialer.ts';
import {
  demandsTls,
  encrypt,
  exchange,
  isDemandAtRecipient,
  isSlowAtRefusing,
  openConversation,
  sayGoodbye,
  type Conversation,
  type Failure,
} from '../smtp/conversation.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Line, Said } from './conclude.ts';
import type { AskedHost } from './domain-facts.ts';
import type { HostTraits } from './host-traits.ts';
import { MadeUpQuestions } from './made-up-recipients.ts';
import { failProbe, isCutShort, isNoMailGreeting, type Ending, type PendingProbe } from './pending-probe.ts';
import {
  countsRefusals,
  planGroup,
  readGroup,
  roomIn,
  startBudget,
  type PlanParts,
  type RecipientEvent,
  type RecipientQuestion,
  type SessionBudget,
} from './recipient-group.ts';
import { giveBackOrGiveUp, report, reportNotConnected } from './report.ts';
import { Roster } from './roster.ts';
import type { SessionOrder, SessionParts } from './session-parts.ts';

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
 * - greeting: banner and EHLO, and STARTTLS if this host is known to demand it.
 * - asking: plan a group of recipients, say it, write down the replies; then the next group, until no probe waits or
 *   the budget is spent. If a reply demands TLS, the open questions are asked again inside it.
 * - leaving: QUIT. Its reply shows whether those before it were in step (docs/decisions/0003).
 * - reporting: `report.ts` settles every probe or gives it back. `conclude.ts` decides the meaning of replies.
 */
export async function runSession(
  order: SessionOrder,
  parts: SessionParts,
): Promise<SessionOutcome | undefined> {
  const session = new Session(order, parts);
  const { roster } = session;
  if (roster.isAbandoned()) return undefined;
  try {
    const dialled = await parts.route.dial(order.destination.target, roster.patience);
    if (dialled.kind !== 'connected') return session.reportNotDialled(dialled.why);
    return await session.converse(dialled.socket);
  } catch (error) {
    // A defect of ours is told as an error, not as an answer. A caller that has left hears of neither.
    for (const probe of roster.all) failProbe(probe, error);
    return session.outcome;
  } finally {
    session.madeUp.end();
  }
}

class Session implements PlanParts {
  readonly outcome = startOutcome();
  readonly roster: Roster;
  readonly order: SessionOrder;
  readonly parts: SessionParts;
  private readonly startedAt: number;
  readonly asked: AskedHost;
  readonly madeUp: MadeUpQuestions;
  private egressAddress: string | undefined;
  private budget: SessionBudget;
  private readonly traits: HostTraits;
  private lines: Line[] = [];
  /** Recipients that were named so far. */
  private places = 0;
  /** Whether a reply stood in the wrong place. */
  private isShifted = false;
  /** Whether the host turned STARTTLS down in this session. */
  private isTlsRefused = false;
  /** Whether only closing questions are left: no probe joins any more. */
  private isClosing = false;

  constructor(order: SessionOrder, parts: SessionParts) {
    const { destination, first, supply } = order;
    this.order = order;
    this.parts = parts;
    this.roster = new Roster(first, supply, parts);
    this.startedAt = parts.clock.now();
    const { target } = destination;
    this.asked = { target, provider: providerOf(target.host)?.id, route: parts.route.id };
    this.madeUp = new MadeUpQuestions(parts.facts, this.asked);
    this.traits = parts.hosts.recall(target.host);
    this.budget = startBudget(destination, this.traits);
  }

  /** Greets, asks, leaves and reports; returns the outcome unless nothing was learnt of the host. */
  async converse(socket: Socket): Promise<SessionOutcome | undefined> {
    const { parts, roster, order } = this;
    const { host, address } = order.destination.target;
    const { recipientsPerConversation } = order.destination.policy.politeness;
    parts.mailPort.note(address, 'connected');
    this.egressAddress = socket.localAddress;
    const opened = await openConversation(
      { socket, host, urgency: roster.urgency() },
      parts,
      roster.patience,
    );
    const connection = opened.kind === 'open' ? opened.conversation.connection : opened.connection;
    try {
      if (opened.kind !== 'open' && this.isBusyWithUs(opened)) {
        this.waitForOurOwn();
        return undefined;
      }
      // The probes behind the first would have met with the same.
      if (opened.kind !== 'open') roster.takeMore(recipientsPerConversation);
      const failure = opened.kind === 'open' ? await this.ask(opened.conversation) : opened;
      const ending = failure === undefined ? undefined : this.noteEnding(failure);
      const goodbye = await sayGoodbye(connection, parts, roster.patience);
      const pipelined = opened.kind === 'open' && this.pipelines(opened.conversation);
      report({ lines: this.lines, isShifted: this.isShifted, ending, goodbye, pipelined }, this);
      return this.outcome;
    } finally {
      connection.destroy();
    }
  }

  reportNotDialled(why: WhyNotDialled): SessionOutcome | undefined {
    const { roster, parts, order, outcome } = this;
    if (why === 'route_down') {
      // Nothing was learnt about the host: another way out may reach it.
      giveBackOrGiveUp(roster);
      return undefined;
    }
    roster.takeMore(order.destination.policy.politeness.recipientsPerConversation);
    reportNotConnected(roster);
    // A forbidden address was never dialled: nothing was learnt of the port, and the host is not put to rest.
    if (why === 'forbidden') return undefined;
    parts.mailPort.note(order.destination.target.address, why);
    outcome.connected = false;
    return outcome;
  }

  /** Asks for every probe that waits; returns the failure if the host turned us away or the connection broke. */
  private async ask(conversation: Conversation): Promise<Failure | undefined> {
    const { roster, parts } = this;
    const refusedTls = await this.encryptIfWanted(conversation);
    if (refusedTls !== undefined) return refusedTls;
    for (;;) {
      this.refill();
      if (this.mayHideSmtputf8(conversation)) {
        const failure = await this.encryptForSmtputf8(conversation);
        if (failure !== undefined) return failure;
      }
      roster.sift(conversation.capabilities);
      if (this.isShifted) this.stopNaming();
      const plan = planGroup(roster, this.budget, this);
      if (plan.steps.length === 0) {
        if (this.isShifted || !this.beginClosing()) return undefined;
        continue;
      }
      roster.begin(plan);
      for (const { question } of plan.steps)
        if (question?.kind === 'made_up') this.madeUp.begin(question.probe.address.host);
      const said = await exchange(conversation, plan.steps, {
        clock: parts.clock,
        limits: parts.limits,
        patience: roster.patience,
        urgency: roster.urgency(),
        pipelining: this.pipelines(conversation),
        progress: roster,
      });
      const { events, budget, isShifted } = readGroup(plan, said.replies);
      this.budget = budget;
      this.isShifted ||= isShifted;
      if (isSlowAtRefusing(said, parts.limits)) this.nameFewer();
      const failure = this.writeDown(events, conversation) ?? said.broken;
      if (failure === undefined) continue;
      if (!this.isDemandForTls(failure, conversation)) return this.learnFrom(failure);
      const failed = await encrypt(conversation, parts, roster.patience);
      if (failed !== undefined) return failed;
      this.startAnew();
    }
  }

  /** Writes the replies down; returns the refusal if one turns us away altogether. */
  private writeDown(events: readonly RecipientEvent[], conversation: Conversation): Failure | undefined {
    let refusal: Failure | undefined;
    for (const event of events) {
      if (event.kind === 'unanswered') continue;
      if (event.kind === 'turned_away') {
        refusal ??= { kind: 'refused', phase: event.phase, reply: event.reply };
        continue;
      }
      this.places += 1;
      if (event.kind === 'put_off') {
        this.learn({ oneRecipient: true });
        this.roster.putOff(event.question);
      } else if (event.kind === 'counted') this.heedCounting(event.question);
      else if (isDemandAtRecipient(event.reply, conversation)) {
        refusal ??= { kind: 'refused', phase: 'rcpt', reply: event.reply };
        this.roster.putOff(event.question);
      } else this.writeLine(event);
    }
    return refusal;
  }

  private writeLine({ question, email, reply }: RecipientEvent & { kind: 'answered' }): void {
    const { kind, probe } = question;
    const said = this.read({ phase: kind === 'made_up' ? 'random_rcpt' : 'rcpt', reply, recipient: email });
    const { places: place, order } = this;
    const { host: domain } = probe.address;
    this.lines.push({ conversation: order.number, place, recipient: kind, domain, email, said });
    const { group } = order.destination.policy;
    noteRecipient(this.outcome, question, { reply, meaning: said.meaning, group });
    if (kind === 'target') this.roster.answered(probe);
  }

  /**
   * Heeds a host that counts refusals: the recipients that it did not answer for come first in another conversation.
   */
  private heedCounting(question: RecipientQuestion): void {
    this.learn({ refusalsTaken: Math.max(1, this.budget.refusals), madeUpLast: true });
    if (question.kind === 'target') this.roster.putBack(question.probe);
    this.stopNaming();
  }

  private stopNaming(): void {
    this.roster.dropQuestions();
    this.budget = { ...this.budget, recipientsLeft: 0 };
  }

  /** Reads a reply of this host, which may name the recipient or us. */
  private read({ phase, reply, recipient }: { phase: SmtpPhase; reply: Reply; recipient?: string }): Said {
    const { parts, asked, egressAddress } = this;
    const { code, enhanced, lines } = reply;
    const text = lines.join(' ').trim();
    const kept = sanitiseReply(text, parts.limits.explainedReplyCharacters);
    const read = { phase, code, enhanced, text: kept };
    const { mailFrom: sender, heloName } = parts.route;
    const named = recipient === undefined ? undefined : { sender, heloName, egressAddress, recipient };
    return { meaning: parts.classify({ code, enhanced, text, provider: asked.provider }, named), read, text };
  }

  get mailFrom(): string {
    return this.parts.route.mailFrom;
  }

  madeUpLocalPart(domain: CanonicalHost): string {
    return this.parts.madeUpLocalPart(domain);
  }

  needsMadeUp(domain: CanonicalHost): boolean {
    return !this.roster.asksForMadeUp(domain) && this.madeUp.isNeeded(domain, this.lines);
  }

  /** Takes more of the probes that wait, unless this session has lasted long enough. */
  private refill(): void {
    const { roster, parts, budget } = this;
    const isYoung = parts.clock.now() - this.startedAt < parts.limits.smtpPhaseMs / 2;
    const mayJoin = isYoung && !this.isClosing && !this.isShifted;
    const asked = roster.pending.length + roster.owed.length;
    roster.takeMore(mayJoin ? budget.recipientsLeft - asked : 0);
  }

  /** Whether SMTPUTF8 is needed and not offered in the clear, by a host that may offer it inside TLS. */
  private mayHideSmtputf8({ encrypted, capabilities }: Conversation): boolean {
    const { smtputf8, starttls } = capabilities;
    if (smtputf8 || encrypted || !starttls || !this.roster.needsSmtputf8()) return false;
    return this.traits.tls !== 'broken' && !this.isTlsRefused;
  }

  private async encryptForSmtputf8(conversation: Conversation): Promise<Failure | undefined> {
    const failure = await this.encryptAsWished(conversation);
    if (failure === undefined && conversation.encrypted) this.startAnew();
    this.isTlsRefused = !conversation.encrypted;
    return failure;
  }

  /** Puts the made-up recipients last that some answer still needs beside it; returns whether there are any. */
  private beginClosing(): boolean {
    const { roster } = this;
    if (this.isClosing || roomIn(this.budget) < 1) return false;
    this.isClosing = true;
    const lacking = roster.all.filter((probe) => this.needsMadeUpBeside(probe));
    if (lacking.length === 0) return false;
    const byDomain = new Map(lacking.map((probe) => [probe.address.host, probe]));
    const questions = Array.from(byDomain.values(), (probe) => ({ kind: 'made_up', probe }) as const);
    roster.askLast(questions.slice(0, roomIn(this.budget)));
    return true;
  }

  private needsMadeUpBeside({ address, recipient }: PendingProbe): boolean {
    const line = this.lines.find(({ email }) => email === recipient);
    return line !== undefined && this.madeUp.isNeededBeside(line, address.host, this.lines);
  }

  /**
   * Names few recipients at once, the made-up one last, to a host that punishes each refusal with a delay, as
   * Courier does.
   */
  private nameFewer(): void {
    this.budget = { ...this.budget, ...careful };
    this.learn(careful);
  }

  /** Learns from a host that left in the middle of a group, to ask it more carefully. */
  private learnFrom(failure: Failure): Failure {
    if (!isCutShort(failure)) return failure;
    const { refusals } = this.budget;
    this.learn({ madeUpLast: true, ...(refusals > 0 ? { refusalsTaken: refusals } : {}) });
    return failure;
  }

  private learn(traits: HostTraits): void {
    this.parts.hosts.learn(this.order.destination.target.host, traits);
  }

  /** Notes how the session ended, and reads the refusal if it ended by one: once, for all probes. */
  private noteEnding(failure: Failure): Ending {
    const { outcome, order } = this;
    if (failure.kind === 'broken') {
      outcome.fault = failure.fault;
      return failure;
    }
    const { kind, phase, reply } = failure;
    const { meaning, read } = this.read({ phase, reply });
    // "421 too many errors": the host would take us again in another conversation.
    const hasCounted = isCutShort(failure) && this.lines.length > 0 && countsRefusals(reply);
    if (hasCounted) outcome.fault = 'closed';
    else if (!isNoMailGreeting(failure))
      noteEnd(outcome, { reply, meaning, group: order.destination.policy.group }, order.first);
    return { kind, phase, reply, meaning, read };
  }

  private pipelines({ capabilities }: Conversation): boolean {
    return capabilities.pipelining && this.traits.noPipelining !== true;
  }

  /** Encrypts if the host is known to demand it, or if that is our wish. */
  private async encryptIfWanted(conversation: Conversation): Promise<Failure | undefined> {
    const { parts, roster, traits } = this;
    if (!conversation.capabilities.starttls) return undefined;
    if (traits.tls === 'demanded') return encrypt(conversation, parts, roster.patience);
    if (parts.starttls !== 'always' || traits.tls === 'broken') return undefined;
    return this.encryptAsWished(conversation);
  }

  private async encryptAsWished(conversation: Conversation): Promise<Failure | undefined> {
    const failure = await encrypt(conversation, this.parts, this.roster.patience);
    if (failure === undefined) return undefined;
    // A host that turns our wish down in good order is spoken to in the clear; a broken handshake costs the connection.
    this.learn({ tls: 'broken' });
    return failure.kind === 'refused' && failure.reply.code !== 421 ? undefined : failure;
  }

  /** Remembers a refusal that asks for STARTTLS; returns whether it can be obeyed at once. */
  private isDemandForTls(failure: Failure, { encrypted, capabilities }: Conversation): boolean {
    if (failure.kind !== 'refused' || encrypted || !demandsTls(failure.reply)) return false;
    this.learn({ tls: 'demanded' });
    return failure.reply.code !== 421 && capabilities.starttls;
  }

  /** Asks again inside TLS for every recipient that was left open before it. */
  private startAnew(): void {
    this.budget = { ...this.budget, transaction: undefined, recipientsInTransaction: 0 };
    this.roster.askAgain();
    this.madeUp.end();
  }

  /** Whether the host turned us away because another conversation of ours is open. */
  private isBusyWithUs(failure: Failure): boolean {
    if (failure.kind !== 'refused' || failure.phase !== 'banner' || failure.reply.code >= 500) return false;
    return this.order.supply.hasOthersOpen();
  }

  /** Lets the probes wait until our other conversation with this host has ended. */
  private waitForOurOwn(): void {
    this.learn({ oneClient: true });
    this.roster.end();
    this.roster.giveBack(this.roster.all, () => false);
  }
}

const careful = { recipientsPerGroup: 2, madeUpLast: true } as const;

type WhyNotDialled = Exclude<RouteDialOutcome, { kind: 'connected' }>['why'];
