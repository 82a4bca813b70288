import type { CatchAllAnswer } from '../evidence.ts';
import type { Failure } from '../smtp/conversation.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import {
  type Said,
  catchAllByContrast,
  saidYes,
  isLike,
  isOrdinary,
  isUnlike,
  isWithoutReason,
  leavesDoubt,
} from './contrast.ts';
import { isCutShort } from './pending-probe.ts';
import { roomIn, type RecipientQuestion } from './recipient-group.ts';
import type { MailboxAnswer } from './session-probes.ts';
import type { SmtpSession } from './session.ts';

/** What was said of a made-up recipient of a domain. */
export type RandomProbe = {
  domain: CanonicalHost;
  /** The replies to it, in the order in which it was asked for. */
  said: readonly [Said, ...Said[]];
  /** As the how manieth recipient of the conversation it was first named. */
  position: number;
  /** Whether it was asked for again, alone, to be compared with a mailbox. */
  isCompared: boolean;
  answer: CatchAllAnswer;
};

export function randomProbeOf({ randomProbes }: SmtpSession, domain: CanonicalHost): RandomProbe | undefined {
  return randomProbes.find((one) => one.domain === domain);
}

/**
 * When a session asks again for the sake of contrast (`contrast.ts`), and what it concludes. It asks last of all, so that
 * whatever was answered stands between a mailbox that was taken first and the same one taken again at the end.
 */

/** What is still to be asked; nothing where no doubt is left, or no room. */
export function contrastQuestions(session: SmtpSession): RecipientQuestion[] {
  const domains = new Set(session.probes.answered.map(({ probe }) => probe.address.host));
  for (const domain of domains) {
    const questions = questionsAbout(session, domain);
    if (questions.length > 0 && questions.length <= roomIn(session.budget)) return questions;
  }
  return [];
}

/**
 * Answers that leave a doubt which another conversation may settle: mailboxes that were accepted before the host left,
 * with nothing said about a made-up one (they must not pay for what it, or others beside them, provoked), and those that
 * there was no room to compare.
 */
export function leftOpen(session: SmtpSession, failure: Failure | undefined): MailboxAnswer[] {
  const { probes, claims } = session;
  if (failure !== undefined && !isCutShort(failure)) return [];
  const unasked = [...probes.owed, ...probes.closing].filter(({ kind }) => kind === 'random_probe');
  const open = [...claims, ...unasked.map(({ probe }) => probe.address.host)];
  const isCut = ({ probe, said }: MailboxAnswer): boolean =>
    failure !== undefined && saidYes(said[0]) && open.includes(probe.address.host);
  return probes.answered.filter(
    (answer) => answer.probe.returns() === 0 && (isCut(answer) || isLeftInDoubt(session, answer)),
  );
}

/**
 * Whether a doubt about a mailbox is left for want of room, or because nobody beside it was taken: another conversation
 * may have what this one had not. Somebody who waits for a single answer is not kept waiting for company.
 */
function isLeftInDoubt(session: SmtpSession, { probe, said: [first] }: MailboxAnswer): boolean {
  const { parts, destination } = session;
  const { host } = probe.address;
  if (!saidYes(first) && !isWithoutReason(first)) return false;
  if (questionsAbout(session, host).length > 0) return true;
  if (randomProbeOf(session, host) !== undefined) return false;
  const known = parts.catchAllLookups.look(host, destination.target.host);
  // Somebody else was to find out about made-up ones, and did not.
  if (known === undefined) return true;
  const isNoCatchAll = known === 'being_asked' || (known.kind === 'no' && known.from === 'memory');
  return isNoCatchAll && isWithoutReason(first) && probe.asker.urgency === 'bulk';
}

function questionsAbout(session: SmtpSession, domain: CanonicalHost): RecipientQuestion[] {
  const random = randomProbeOf(session, domain);
  if (random?.isCompared === true) return [];
  const { taken, refused } = answersOf(session, domain);
  const isCatchAll = takesMadeUp(session, domain, random);
  if (isCatchAll && refused.length > 0) {
    const [first] = refused;
    const most = roomIn(session.budget) - 1;
    return first === undefined ? [] : [madeUp(first), ...refused.slice(0, Math.max(1, most)).map(again)];
  }
  if (isCatchAll || taken === undefined) return [];
  const isDoubtful =
    random === undefined ? refused.length > 0 && mayAsk(session, domain) : leavesDoubt(random.said[0]);
  if (!isDoubtful) return [];
  // A host that refuses every second recipient of a conversation is found out where the made-up one changes places.
  const wouldRepeat = random !== undefined && (session.named + 1 - random.position) % 2 === 0;
  return [...(wouldRepeat ? [again(taken)] : []), madeUp(taken), again(taken)];
}

/** A provider whose own domain is believed unasked is not asked here either, nor what somebody else is asking for. */
function mayAsk({ parts, destination }: SmtpSession, domain: CanonicalHost): boolean {
  const known = parts.catchAllLookups.look(domain, destination.target.host);
  return known !== undefined && known !== 'being_asked' && known.kind === 'no' && known.from === 'memory';
}

function takesMadeUp(
  { parts, destination }: SmtpSession,
  domain: CanonicalHost,
  random: RandomProbe | undefined,
): boolean {
  if (random !== undefined) return saidYes(random.said[0]);
  const known = parts.catchAllLookups.look(domain, destination.target.host);
  return known !== undefined && known !== 'being_asked' && known.kind === 'yes';
}

function answersOf({ probes }: SmtpSession, domain: CanonicalHost) {
  const ofDomain = probes.answered.filter(({ probe }) => probe.address.host === domain);
  return {
    /** An ordinary mailbox that was taken. */
    taken: ofDomain.find(({ probe, said: [first] }) => saidYes(first) && isOrdinary(probe.address)),
    refused: ofDomain.filter(({ said: [first] }) => isWithoutReason(first)),
  };
}

const madeUp = ({ probe }: MailboxAnswer): RecipientQuestion => ({
  kind: 'random_probe',
  probe,
  alone: true,
});
const again = ({ probe }: MailboxAnswer): RecipientQuestion => ({ kind: 'mailbox', probe, alone: true });

/** The domain's random probe once both were asked for again. */
export function compare(session: SmtpSession, random: RandomProbe): RandomProbe {
  const { taken } = answersOf(session, random.domain);
  if (saidYes(random.said[0]) || taken === undefined) return random;
  return { ...random, answer: catchAllByContrast({ madeUp: random.said, mailbox: taken.said }) };
}

/** What the contrast says about a mailbox that was refused without a reason. */
export function contrastFor(
  session: SmtpSession,
  { probe, said }: MailboxAnswer,
): 'like_made_up' | 'unlike_made_up' | undefined {
  const random = randomProbeOf(session, probe.address.host);
  if (random?.isCompared !== true) return undefined;
  if (isUnlike({ madeUp: random.said, mailbox: said })) return 'unlike_made_up';
  const isShown = random.answer.kind === 'no' && random.answer.from === 'contrast';
  return isShown && isLike(said[0], random.said) ? 'like_made_up' : undefined;
}
