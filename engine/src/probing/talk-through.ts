import type { CatchAllAnswer } from '../evidence.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { demandsTls } from '../smtp/demands-tls.ts';
import { closeQuestions } from './end-talk.ts';
import { exchangeGroup } from './exchange-group.ts';
import { interpretReply } from './interpret-reply.ts';
import { encrypt, type Conversation, type Setback } from '../smtp/open-conversation.ts';
import { planGroup } from './plan-group.ts';
import { readGroup, type RecipientReading } from './read-group.ts';
import type { Talk } from './talk.ts';

/**
 * Asks for one group of recipients after the other, until nobody waits or the host has borne enough.
 * Answers a setback where the host turned us away or the line broke.
 */
export async function talkThrough(talk: Talk, conversation: Conversation): Promise<Setback | undefined> {
  const { standing } = talk;
  const { clock, limits } = talk.parts;
  const refusedTls = await secureIfWanted(talk, conversation);
  if (refusedTls !== undefined) return refusedTls;
  for (;;) {
    refill(talk, conversation);
    const { steps, after } = planGroup(talk.pending, standing, planParts(talk));
    if (steps.length === 0) return undefined;
    for (const step of steps) if (step.kind === 'target') talk.named = talk.named.concat(step.probe);
    const exchanged = await exchangeGroup(conversation, steps, { clock, limits, patience: talk.patience });
    const readings = readGroup(steps, exchanged.replies, standing.recipientsInTransaction);
    Object.assign(standing, after);
    const turnedAway = readings
      .map((reading) => take(talk, reading))
      .find((setback) => setback !== undefined);
    if (exchanged.broken !== undefined && turnedAway === undefined)
      return learnFromBreak(talk, exchanged.broken);
    if (turnedAway === undefined) continue;
    if (!mayEncryptAfter(turnedAway, talk, conversation)) return turnedAway;
    const failed = await encryptFor(talk, conversation, 'demanded');
    if (failed !== undefined) return failed;
    startAfresh(talk);
  }
}

function planParts(talk: Talk) {
  const { parts, destination } = talk;
  const { catchAllLookups } = parts;
  return {
    mailFrom: parts.route.mailFrom,
    randomLocalPart: (domain: Parameters<typeof catchAllLookups.look>[0]) => parts.randomLocalPart(domain),
    needsRandomProbe: (domain: Parameters<typeof catchAllLookups.look>[0]) =>
      catchAllLookups.look(domain, destination.target.host) === undefined,
    claimRandomProbe: (domain: Parameters<typeof catchAllLookups.take>[0]) => {
      catchAllLookups.take(domain);
      talk.questions = talk.questions.concat(domain);
    },
  };
}

/** Takes more of those who wait, unless this conversation has lasted long enough. */
function refill(talk: Talk, { capabilities }: Conversation): void {
  const { clock, limits } = talk.parts;
  const isYoung = clock.now() - talk.startedAt < limits.smtpPhaseMs / 2;
  const room = talk.standing.recipientsLeft - talk.pending.length;
  talk.takeOn(talk.supply.take(isYoung ? room : 0));
  talk.pending = talk.pending.filter((probe) => {
    if (probe.isSettled()) return false;
    if (!probe.address.needsSmtputf8 || capabilities.smtputf8) return true;
    talk.declined.push(probe);
    return false;
  });
}

/** Takes in what a reply says of one recipient; answers the setback where it turns us away altogether. */
function take(talk: Talk, reading: RecipientReading): Setback | undefined {
  switch (reading.kind) {
    case 'unanswered':
      return undefined;
    case 'turned_away': {
      const { phase, reply } = reading;
      return { kind: 'refused', phase, reply };
    }
    case 'put_off':
      count(talk, reading.reply.code);
      putOff(talk, reading);
      return undefined;
    case 'answered':
      count(talk, reading.reply.code);
      if (reading.step.kind === 'target') holdAnswer(talk, reading);
      else answerQuestion(talk, reading);
      return undefined;
  }
}

function count({ standing, outcome }: Talk, code: number): void {
  const refused = code >= 400 ? 1 : 0;
  outcome.recipients += 1;
  standing.recipientsLeft -= 1;
  standing.refusalsLeft -= refused;
  standing.refusalsTaken -= refused;
}

function putOff(talk: Talk, { step }: RecipientReading): void {
  talk.parts.hosts.learn(talk.destination.target.host, { oneRecipient: true });
  talk.standing.recipientsPerTransaction = 1;
  if (step.kind === 'random_probe') return void talk.standing.owedRandomProbes.push(step.probe);
  talk.named = talk.named.filter((probe) => probe !== step.probe);
  talk.pending.unshift(step.probe);
}

function holdAnswer(talk: Talk, { step, reply }: RecipientReading & { kind: 'answered' }): void {
  const { probe } = step;
  const { host } = talk.destination.target;
  const { meaning, read } = interpretReply({ phase: step.phase, reply }, host, talk.parts);
  talk.named = talk.named.filter((one) => one !== probe);
  talk.held.push({ probe, meaning, reply: read });
  noteMeaning(talk, meaning);
  const catchAll: CatchAllAnswer = { kind: 'undetermined', meaning: undefined };
  probe.hold({ kind: 'answered', evidence: { kind: 'answered', host, replies: [read], meaning, catchAll } });
}

function noteMeaning({ outcome }: Talk, { label }: ReplyMeaning): void {
  if (label === 'mailbox_not_exist') outcome.unknownMailboxes += 1;
  if (label === 'blocked_or_policy') outcome.policyRefusals += 1;
}

/**
 * A random probe that is taken makes the domain a catch-all; one refused as a mailbox that does not exist
 * makes it none. A refusal for any other reason says nothing either way, and is not remembered.
 */
function answerQuestion(talk: Talk, { step, reply }: RecipientReading & { kind: 'answered' }): void {
  const domain = step.probe.address.host;
  const { host } = talk.destination.target;
  const { meaning, read } = interpretReply({ phase: step.phase, reply }, host, talk.parts);
  talk.randomProbeReplies = talk.randomProbeReplies
    .filter((one) => one.domain !== domain)
    .concat({ domain, reply: read });
  talk.questions = talk.questions.filter((one) => one !== domain);
  talk.parts.catchAllLookups.answer(domain, readRandomProbe(meaning));
}

function readRandomProbe(meaning: ReplyMeaning): CatchAllAnswer {
  if (meaning.label === 'accepted') return { kind: 'yes', from: 'random_probe' };
  if (meaning.label === 'mailbox_not_exist') return { kind: 'no', from: 'random_probe' };
  return { kind: 'undetermined', meaning };
}

/** A host that hung up on a refusal is given no more of them in one conversation from now on. */
function learnFromBreak(talk: Talk, broken: Setback & { kind: 'broken' }): Setback {
  const { standing, destination, parts } = talk;
  const refusals = destination.policy.politeness.refusalsPerConversation - standing.refusalsLeft;
  if (broken.fault === 'closed' && refusals > 0 && talk.held.length > 0) {
    parts.hosts.learn(destination.target.host, { refusalsTaken: refusals });
  }
  return broken;
}

async function secureIfWanted(talk: Talk, conversation: Conversation): Promise<Setback | undefined> {
  const { parts, destination } = talk;
  const { tls } = parts.hosts.recall(destination.target.host);
  if (!conversation.capabilities.starttls) return undefined;
  if (tls === 'demanded') return encryptFor(talk, conversation, 'demanded');
  return parts.starttls === 'always' && tls !== 'broken'
    ? encryptFor(talk, conversation, 'our_wish')
    : undefined;
}

/**
 * Encrypts the conversation. Where TLS was our own wish, a host that turns it down in good order is
 * spoken to in the clear; a handshake that broke costs the connection, and is remembered.
 */
async function encryptFor(
  talk: Talk,
  conversation: Conversation,
  why: 'demanded' | 'our_wish',
): Promise<Setback | undefined> {
  const secured = await encrypt(conversation, talk.parts, talk.patience);
  if (secured.kind === 'encrypted') return undefined;
  if (why === 'demanded') return secured;
  talk.parts.hosts.learn(conversation.host, { tls: 'broken' });
  return secured.kind === 'refused' && secured.reply.code !== 421 ? undefined : secured;
}

/** A refusal that asks for STARTTLS is remembered, and obeyed at once where the conversation still stands. */
function mayEncryptAfter(setback: Setback, { parts }: Talk, conversation: Conversation): boolean {
  if (setback.kind !== 'refused' || conversation.encrypted || !demandsTls(setback.reply)) return false;
  parts.hosts.learn(conversation.host, { tls: 'demanded' });
  return setback.reply.code !== 421 && conversation.capabilities.starttls;
}

/** Everybody who was named in the clear is asked for again inside TLS. */
function startAfresh(talk: Talk): void {
  talk.pending.unshift(...talk.named);
  talk.named = [];
  Object.assign(talk.standing, { open: undefined, recipientsInTransaction: 0 });
  closeQuestions(talk);
}
