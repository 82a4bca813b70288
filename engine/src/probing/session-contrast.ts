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
  const first = randomProbes[0];
  // Mostly there is no other.
  if (first === undefined || first.domain === domain) return first;
  return randomProbes.find((one) => one.domain === domain);
}

/**
 * When a session asks again for the sake of contrast (`contrast.ts`), and what it concludes. It asks last of all, so that
 * whatever was answered stands between a mailbox that was taken first and the same one taken again at the end.
 */

/** What is still to be asked; nothing where no doubt is left, or no room. */
export function contrastQuestions(session: SmtpSession): readonly RecipientQuestion[] {
  let asked: CanonicalHost | undefined;
  for (const { probe } of session.probes.answered) {
    const { host } = probe.address;
    // Those of one domain mostly follow upon each other, and to look twice changes nothing.
    if (host === asked) continue;
    asked = host;
    const questions = questionsAbout(session, host);
    if (questions.length > 0 && questions.length <= roomIn(session.budget)) return questions;
  }
  return nothing;
}

const nothing: readonly never[] = [];

/**
 * Answers that leave a doubt which another conversation may settle: mailboxes that were accepted before the host left,
 * with nothing said about a made-up one (they must not pay for what it, or others beside them, provoked), and those that
 * there was no room to compare.
 */
export function leftOpen(session: SmtpSession, failure: Failure | undefined): readonly MailboxAnswer[] {
  if (failure !== undefined && !isCutShort(failure)) return nothing;
  const open = failure === undefined ? nothing : withoutMadeUp(session);
  return session.probes.answered.filter((answer) => {
    const { probe, said } = answer;
    if (probe.returns > 0) return false;
    const isCut = saidYes(said[0]) && open.includes(probe.address.host);
    return isCut || isLeftInDoubt(session, answer);
  });
}

/** Domains whose made-up recipient the session was to ask for, and did not hear of. */
function withoutMadeUp({ probes, claims }: SmtpSession): readonly CanonicalHost[] {
  const unasked = [...probes.owed, ...probes.closing].filter(({ kind }) => kind === 'random_probe');
  return [...claims, ...unasked.map(({ probe }) => probe.address.host)];
}

/**
 * Whether a doubt about a mailbox is left for want of room, or because nobody beside it was taken: another conversation
 * may have what this one had not. Somebody who waits for a single answer is not kept waiting for company.
 */
function isLeftInDoubt(session: SmtpSession, { probe, said }: MailboxAnswer): boolean {
  const { parts, destination } = session;
  const first = said[0];
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

function questionsAbout(session: SmtpSession, domain: CanonicalHost): readonly RecipientQuestion[] {
  const random = randomProbeOf(session, domain);
  if (random?.isCompared === true) return nothing;
  const isClear = random === undefined || !leavesDoubt(random.said[0]);
  if (isClear && !session.probes.answered.some(isRefused)) return nothing;
  const refused = refusedOf(session, domain);
  const taken = takenOf(session, domain);
  const isCatchAll = takesMadeUp(session, domain, random);
  if (isCatchAll && refused.length > 0) {
    const [first] = refused;
    const most = roomIn(session.budget) - 1;
    return first === undefined ? nothing : [madeUp(first), ...refused.slice(0, Math.max(1, most)).map(again)];
  }
  if (isCatchAll || taken === undefined) return nothing;
  const isDoubtful = random === undefined ? refused.length > 0 && mayAsk(session, domain) : !isClear;
  if (!isDoubtful) return nothing;
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

/** An ordinary mailbox that was taken. */
function takenOf({ probes }: SmtpSession, domain: CanonicalHost): MailboxAnswer | undefined {
  return probes.answered.find(
    ({ probe, said }) => probe.address.host === domain && saidYes(said[0]) && isOrdinary(probe.address),
  );
}

function refusedOf({ probes }: SmtpSession, domain: CanonicalHost): readonly MailboxAnswer[] {
  return probes.answered.filter((answer) => answer.probe.address.host === domain && isRefused(answer));
}

function isRefused({ said }: MailboxAnswer): boolean {
  return isWithoutReason(said[0]);
}

const madeUp = ({ probe }: MailboxAnswer): RecipientQuestion => ({
  kind: 'random_probe',
  probe,
  alone: true,
});
const again = ({ probe }: MailboxAnswer): RecipientQuestion => ({ kind: 'mailbox', probe, alone: true });

/** The domain's random probe once both were asked for again. */
export function compare(session: SmtpSession, random: RandomProbe): RandomProbe {
  const taken = takenOf(session, random.domain);
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
