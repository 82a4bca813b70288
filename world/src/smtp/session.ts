/**
 * The server's side of RFC 5321 as a state machine: one command in, one act out. It follows the temper of its host, and
 * reports each breach of the protocol by the client.
 */
import { type Act, type Aftermath, faultAct, fuzzAct, injectedAct, type Random, wire } from './act.ts';
import type { Command } from './command.ts';
import {
  type Delivery,
  deliveryAt,
  isKnown,
  judgeRecipient,
  type MailHost,
  quirkBanner,
  type QuirkView,
  refusalAt,
} from './mail-host.ts';
import type { ViolationKind } from './record.ts';
import type { Injection, Phase } from './temper.ts';

export type Session = {
  host: MailHost;
  client: string;
  /** 0 for the first conversation with the host. */
  number: number;
  /** Whether the client has other connections open. */
  hasOthers: boolean;
  greeted: 'no' | 'helo' | 'ehlo';
  secure: boolean;
  transaction: Transaction | undefined;
  namedInAll: number;
  acceptedInAll: number;
  refusals: number;
  /** Distinct recipients, and how many were refused with 4xx or 5xx. */
  recipients: Set<string>;
  putOffOrRefused: number;
  errors: number;
  /** The host's delay for the current recipient. */
  recipientMs: number;
  random: Random | undefined;
  report: (kind: ViolationKind, detail: string) => void;
};

type Transaction = { sender: string; utf8: boolean; named: number };

type Reaction = { reply: string; then?: Aftermath; delivery?: Delivery };

export function openSession(
  parts: Pick<Session, 'host' | 'client' | 'number' | 'hasOthers' | 'random' | 'report'>,
): Session {
  return {
    ...parts,
    greeted: 'no',
    secure: false,
    transaction: undefined,
    namedInAll: 0,
    acceptedInAll: 0,
    refusals: 0,
    recipients: new Set(),
    putOffOrRefused: 0,
    errors: 0,
    recipientMs: 0,
  };
}

export function greet(session: Session): Act {
  const { temper } = session.host;
  const banner = temper.banner ?? '220 {host} ESMTP';
  const { number: conversation, hasOthers } = session;
  const turnedAway = quirkBanner(temper.quirks ?? [], { conversation, hasOthers });
  if (turnedAway !== undefined) return disturbed(session, undefined, { reply: turnedAway, then: 'close' });
  const reply = refusalAt('banner', session.host, session.client) ?? banner;
  const phase = temper.fault?.phase === 'connect' ? 'connect' : 'banner';
  return disturbed(session, phase, { reply });
}

export function answer(session: Session, command: Command): Act {
  const phase = phaseOf(session, command);
  session.recipientMs = 0;
  const reaction = countingErrors(session, react(session, command));
  return disturbed(session, phase, filledIn(session, command, reaction));
}

/** Returns the delay before the next reply. */
export function thinkingMs(session: Session): number {
  const { replyDelayMs, errorCount } = session.host.temper;
  const punished = errorCount !== undefined && session.errors > errorCount.soft ? errorCount.delayMs : 0;
  return (replyDelayMs ?? 0) + punished + session.recipientMs;
}

/** Forgets everything before the handshake (RFC 3207 section 4.2). */
export function secured(session: Session): void {
  session.secure = true;
  session.greeted = 'no';
  session.transaction = undefined;
}

export function mayPipeline(session: Session): boolean {
  return session.greeted === 'ehlo' && session.host.temper.pipelining !== false;
}

function react(session: Session, command: Command): Reaction {
  switch (command.verb) {
    case 'EHLO':
      return ehlo(session, command);
    case 'HELO':
      session.greeted = 'helo';
      session.transaction = undefined;
      return { reply: '250 {host}' };
    case 'STARTTLS':
      return startTls(session);
    case 'MAIL':
      return mail(session, command);
    case 'RCPT':
      return rcpt(session, command);
    case 'RSET':
      session.transaction = undefined;
      return { reply: '250 2.0.0 Ok' };
    case 'QUIT':
      return { reply: '221 2.0.0 Bye', then: 'close' };
  }
  session.report('unexpected_verb', command.line);
  return { reply: '502 5.5.1 Command not implemented' };
}

function ehlo(session: Session, command: Command): Reaction {
  const { temper } = session.host;
  if (command.line.length <= 'EHLO '.length) session.report('malformed_command', command.line);
  const refusal = refusalAt('ehlo', session.host, session.client);
  if (refusal !== undefined) return { reply: refusal };
  if (temper.heloOnly === true) return { reply: '502 5.5.1 Command not implemented' };
  session.greeted = 'ehlo';
  session.transaction = undefined;
  const keywords = ['SIZE 36700160', '8BITMIME', 'ENHANCEDSTATUSCODES', ...(temper.extensions ?? [])];
  if (temper.pipelining !== false) keywords.push('PIPELINING');
  if (offersSmtputf8(session)) keywords.push('SMTPUTF8');
  if (temper.starttls !== undefined && !session.secure) keywords.push('STARTTLS');
  return { reply: ['{host} greets {client}', ...keywords].map(ehloLine).join('\n') };
}

function offersSmtputf8({ host, secure }: Session): boolean {
  const { smtputf8 } = host.temper;
  return smtputf8 === true || (smtputf8 === 'inside_tls' && secure);
}

function ehloLine(text: string, index: number, lines: string[]): string {
  return `250${index === lines.length - 1 ? ' ' : '-'}${text}`;
}

function startTls(session: Session): Reaction {
  const { temper } = session.host;
  if (temper.starttls === undefined || session.secure) {
    session.report('starttls_not_offered', 'STARTTLS');
    return { reply: '503 5.5.1 STARTTLS is not offered here' };
  }
  if (temper.tlsFault === 'refused') return { reply: '454 4.7.0 TLS not available due to temporary reason' };
  const goAhead = '220 2.0.0 Ready to start TLS';
  const injected = temper.tlsFault === 'injected_reply' ? '\n250-{host} injected\n250 PIPELINING' : '';
  return { reply: goAhead + injected, then: 'start_tls' };
}

function mail(session: Session, command: Command): Reaction {
  const { temper } = session.host;
  if (command.path === undefined) return malformed(session, command);
  if (session.greeted === 'no') {
    session.report('mail_before_ehlo', command.line);
    return { reply: '503 5.5.1 Error: send HELO/EHLO first' };
  }
  if (session.transaction !== undefined) {
    session.report('mail_inside_transaction', command.line);
    return { reply: '503 5.5.1 Error: nested MAIL command' };
  }
  if (temper.starttls === 'demanded' && !session.secure) {
    return { reply: tlsDemand(session) };
  }
  const utf8 = command.parameters.includes('SMTPUTF8');
  if (utf8 && (!offersSmtputf8(session) || session.greeted !== 'ehlo')) {
    session.report('smtputf8_not_offered', command.line);
    return { reply: '555 5.5.4 Unsupported option: SMTPUTF8' };
  }
  if (!utf8 && isBeyondAscii(command.path)) session.report('smtputf8_missing', command.line);
  const refusal = refusalAt('mail', session.host, session.client);
  if (refusal !== undefined) return { reply: refusal };
  session.transaction = { sender: command.path, utf8, named: 0 };
  return { reply: '250 2.1.0 Ok' };
}

function rcpt(session: Session, command: Command): Reaction {
  const { host, transaction } = session;
  if (command.path === undefined || !command.path.includes('@')) return malformed(session, command);
  // No breach: in a pipelined group RCPT follows a MAIL that may have been refused.
  if (transaction === undefined) return { reply: '503 5.5.1 Error: need MAIL command' };
  if (isBeyondAscii(command.path) && !transaction.utf8) {
    session.report('smtputf8_missing', command.line);
    return { reply: '553 5.6.7 Must declare SMTPUTF8 to send to an internationalised address' };
  }
  const { client, namedInAll, acceptedInAll } = session;
  const envelope = {
    client,
    namedInAll,
    acceptedInAll,
    refusedInAll: session.refusals,
    sender: transaction.sender,
    named: transaction.named,
    view: viewOf(session, command.path),
  };
  const tlsMissing = host.temper.starttls === 'demanded_at_recipient' && !session.secure;
  const reply = tlsMissing ? tlsDemand(session) : judgeRecipient(host, command.path, envelope);
  const { recipientDelayMs = 0, refusalDelayMs = 0, quirks = [] } = host.temper;
  const delivery = deliveryAt(quirks, session.namedInAll + 1);
  session.recipientMs = recipientDelayMs + (reply.startsWith('5') ? refusalDelayMs : 0) + delivery.lateMs;
  session.recipients.add(command.path.toLowerCase());
  transaction.named += 1;
  session.namedInAll += 1;
  if (reply.startsWith('2')) session.acceptedInAll += 1;
  if (reply.startsWith('5')) session.refusals += 1;
  if (!reply.startsWith('2')) session.putOffOrRefused += 1;
  if (delivery.vanishes) return { reply, then: 'vanish' };
  if (reply.startsWith('421')) return { reply, then: 'close' };
  const { hangsUpAfterRefusals = Infinity, vanishesAtRefusal = Infinity } = host.temper;
  if (session.refusals >= vanishesAtRefusal) return { reply, then: 'vanish' };
  return session.refusals >= hangsUpAfterRefusals ? { reply, then: 'close' } : { reply, delivery };
}

function viewOf(session: Session, recipient: string): QuirkView {
  const { recipients, namedInAll, number: conversation, putOffOrRefused: refused } = session;
  const isRepeated = recipients.has(recipient.toLowerCase());
  return { place: namedInAll + 1, conversation, distinct: recipients.size, isRepeated, refused };
}

function tlsDemand({ host }: Session): string {
  return host.temper.tlsDemand ?? '530 5.7.0 Must issue a STARTTLS command first';
}

function malformed(session: Session, command: Command): Reaction {
  session.report('malformed_command', command.line);
  return { reply: '501 5.5.2 Syntax error in parameters' };
}

function countingErrors(session: Session, reaction: Reaction): Reaction {
  if (!/^[45]/.test(reaction.reply)) return reaction;
  session.errors += 1;
  if (session.errors < (session.host.temper.errorCount?.hard ?? Infinity)) return reaction;
  return { reply: '421 4.7.0 {host} Error: too many errors', then: 'close' };
}

function phaseOf(session: Session, command: Command): Phase | undefined {
  switch (command.verb) {
    case 'EHLO':
    case 'HELO':
      return 'ehlo';
    case 'STARTTLS':
      return 'starttls';
    case 'MAIL':
      return 'mail';
    case 'RCPT':
      return isKnown(session.host, command.path ?? '') ? 'rcpt' : 'random_rcpt';
    case 'QUIT':
      return 'quit';
  }
  return undefined;
}

/** The act the reaction would be at a host without faults, or what the host's faults make of it. */
function disturbed(session: Session, phase: Phase | undefined, reaction: Reaction): Act {
  const { temper, name } = session.host;
  const said = reaction.reply.replaceAll('{host}', name).replaceAll('{client}', session.client);
  const text = wire(said, temper.encoding);
  const right = { kind: 'say', text, then: reaction.then ?? 'next' } as const;
  if (session.random !== undefined) return fuzzAct(session.random, right);
  if (temper.fault !== undefined && temper.fault.phase === phase) return faultAct(temper.fault, right, name);
  if (temper.injection !== undefined && isStruck(session, temper.injection, phase)) {
    return injectedAct(temper.injection, right);
  }
  const { delivery } = reaction;
  if (delivery?.isLost === true) return { kind: 'mislead', text: '', then: right.then };
  if (delivery?.surplus !== undefined)
    return { kind: 'mislead', text: text + wire(delivery.surplus), then: right.then };
  const { dripEveryMs } = temper;
  return dripEveryMs === undefined ? right : { ...right, kind: 'drip', everyMs: dripEveryMs };
}

function isStruck(session: Session, injection: Injection, phase: Phase | undefined): boolean {
  if (injection.phase !== phase) return false;
  return injection.insideTls !== true || session.secure || phase === 'banner';
}

function filledIn(session: Session, command: Command, reaction: Reaction): Reaction {
  const reply = reaction.reply
    .replaceAll('{recipient}', command.path ?? '')
    .replaceAll('{sender}', session.transaction?.sender ?? '');
  return { ...reaction, reply };
}

function isBeyondAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- the class is ASCII itself, control characters included
  return !/^[\x00-\x7f]*$/.test(text);
}
