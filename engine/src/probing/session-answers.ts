import type { ReadReply, SmtpPhase } from '../evidence.ts';
import type { MailboxFinding } from '../politeness/session-outcome.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { providerOf } from '../replies/providers.ts';
import { complainsAboutUs } from '../replies/refusal-kinds.ts';
import { sanitiseReply } from '../replies/sanitise-reply.ts';
import type { Reply } from '../smtp/reply-reader.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { withItem } from '../with-item.ts';
import { catchAllAfter } from './catch-all-lookups.ts';
import { saidYes, isWithoutReason, leavesDoubt, type Said } from './contrast.ts';
import type { PendingProbe } from './pending-probe.ts';
import { contrastPlaces, type GroupPlan, type RecipientQuestion } from './recipient-group.ts';
import { compare, randomProbeOf, type RandomProbe } from './session-contrast.ts';
import { addAnswer, askLast, holdAnswer, isAnswered, type MailboxAnswer } from './session-probes.ts';
import { answeredVisit, undetermined } from './session-report.ts';
import type { SmtpSession } from './session.ts';

/** What a session does with each answer: about a mailbox, which is held, and about a made-up one, which others wait for. */
export function noteAnswer(session: SmtpSession, probe: PendingProbe, reply: Reply): void {
  const { outcome, probes, budget } = session;
  const { localPart, host } = probe.address;
  const said = interpret(session, { phase: 'rcpt', reply, recipient: `${localPart}@${host}` });
  if (isAnswered(probes, probe)) {
    addAnswer(probes, probe, said);
    conclude(session, host);
    return;
  }
  const answer: MailboxAnswer = { probe, said: [said] };
  const finding = { account: probe.asker.account, domain: host, said: saidOf(said.meaning) };
  outcome.mailboxes = withItem(outcome.mailboxes, finding);
  holdAnswer(probes, answer, answeredVisit(session, answer, undetermined));
  if (isWithoutReason(said)) keepPlaces(session);
  const isWorthwhile = saidYes(said) || isWithoutReason(said);
  if (budget.randomProbeLast && isWorthwhile && needsRandomProbe(session, host))
    askLast(probes, [{ kind: 'random_probe', probe }]);
}

function saidOf(meaning: ReplyMeaning): MailboxFinding['said'] {
  if (meaning.label === 'mailbox_not_exist') return 'unknown';
  return complainsAboutUs(meaning) ? 'complaint' : 'other';
}

export function answerRandomProbe(session: SmtpSession, domain: CanonicalHost, reply: Reply): void {
  const recipient = `${session.parts.randomLocalPart(domain)}@${domain}`;
  const said = interpret(session, { phase: 'random_rcpt', reply, recipient });
  const before = randomProbeOf(session, domain);
  const { isClosing: isCompared, named: position } = session;
  const random: RandomProbe =
    before === undefined
      ? { domain, said: [said], position, isCompared, answer: catchAllAfter(said.meaning) }
      : { ...before, said: [...before.said, said], isCompared };
  session.randomProbes = withItem(others(session.randomProbes, before), random);
  if (leavesDoubt(said)) keepPlaces(session);
  else if (before === undefined) tellCatchAll(session, random);
}

function others<Item>(all: readonly Item[], one: Item | undefined): readonly Item[] {
  return one === undefined ? all : all.filter((other) => other !== one);
}

/** Whoever waits for it need wait no longer. */
function tellCatchAll(session: SmtpSession, { domain, answer }: RandomProbe): void {
  session.claims = others(session.claims, domain);
  session.parts.catchAllLookups.answer(domain, answer);
}

/** A host that gives no reasons is asked again at the end, now and from now on. */
function keepPlaces(session: SmtpSession): void {
  const { parts, destination, isClosing } = session;
  if (isClosing) return;
  session.budget = { ...session.budget, placesKept: contrastPlaces };
  parts.hosts.learn(destination.target.host, { givesNoReason: true });
}

/** The mailbox was asked for again, after the made-up one: what that says about the domain. */
function conclude(session: SmtpSession, domain: CanonicalHost): void {
  const random = randomProbeOf(session, domain);
  if (random?.isCompared !== true) return;
  const compared = compare(session, random);
  session.randomProbes = withItem(others(session.randomProbes, random), compared);
  tellCatchAll(session, compared);
}

/** What a reply means coming from this host, which may name the recipient or us, and the form in which it is kept. */
export function interpret(
  { destination, egressAddress, parts }: SmtpSession,
  { phase, reply, recipient }: { phase: SmtpPhase; reply: Reply; recipient?: string },
): Said {
  const { code, enhanced, lines } = reply;
  const text = lines.join(' ').trim();
  const kept = sanitiseReply(text, parts.limits.explainedReplyCharacters);
  const read: ReadReply = { phase, code, enhanced, text: kept };
  const provider = providerOf(destination.target.host)?.id;
  const { mailFrom: sender, heloName } = parts.route;
  const named = recipient === undefined ? undefined : { sender, heloName, egressAddress, recipient };
  const meaning = parts.classify({ code, enhanced, text, provider }, named);
  return { meaning, read, text, recipient: recipient ?? '' };
}

/** Whether nobody knows, finds out or is about to ask what becomes of a made-up address at this domain. */
export function needsRandomProbe(
  { parts, destination, probes }: SmtpSession,
  domain: CanonicalHost,
): boolean {
  const check = { mailHost: destination.target.host, route: parts.route.id };
  if (!parts.catchAllLookups.needsAsking(domain, check)) return false;
  const isOfDomain = ({ kind, probe }: RecipientQuestion): boolean =>
    kind === 'random_probe' && probe.address.host === domain;
  return !probes.owed.some(isOfDomain) && !probes.closing.some(isOfDomain);
}

/** Nobody else need ask for the random probes of this group. */
export function claimRandomProbes(session: SmtpSession, { steps }: GroupPlan): void {
  const { parts, destination } = session;
  steps.forEach(({ question }) => {
    if (question?.kind !== 'random_probe') return;
    const domain = question.probe.address.host;
    const check = { mailHost: destination.target.host, route: parts.route.id };
    if (!parts.catchAllLookups.needsAsking(domain, check)) return;
    parts.catchAllLookups.claim(domain, check);
    session.claims = withItem(session.claims, domain);
  });
}

/** Whoever waits for a random probe that this session took on is told that nothing will come of it. */
export function dropClaims(session: SmtpSession): void {
  const { claims } = session;
  if (claims.length === 0) return;
  session.claims = [];
  for (const domain of claims) session.parts.catchAllLookups.answer(domain, undetermined);
}
