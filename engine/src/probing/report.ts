import { isInOwnWords } from '../replies/providers.ts';
import type { Goodbye } from '../smtp/conversation.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { isAscii } from '../syntax/characters.ts';
import {
  conclude,
  heardOfMadeUp,
  isOrdinaryAccepted,
  isStateOfMailbox,
  templateOfRefusal,
  type Conclusion,
  type Line,
} from './conclude.ts';
import type { AskedHost, DomainFacts } from './domain-facts.ts';
import type { HostMemory } from './host-traits.ts';
import {
  attachCompanions,
  holdVisit,
  isCutShort,
  keepDoubt,
  settleProbe,
  tellWhenSettled,
  visitWithoutAnswer,
  visitWithoutSmtputf8,
  type Ending,
  type Opening,
  type PendingProbe,
  type Visit,
} from './pending-probe.ts';
import { namesOwn } from './recipient-group.ts';
import type { Roster } from './roster.ts';

/**
 * The end of a session: its transcript becomes facts and conclusions, and every probe is settled or given back.
 *
 * - Replies that may stand in the wrong place are void (docs/decisions/0003): the host is asked again, one command at
 *   a time, and remembered as one that is not pipelined to.
 * - A conclusion with a doubt goes back to the queue, to begin a new conversation. Several probes of one domain with
 *   the same doubt need one conversation between them: one probe begins it, the others are its companions.
 * - Probes without an answer go back if another conversation may bring one; else they share the session's ending.
 */
type Transcript = {
  lines: readonly Line[];
  /** A reply named another recipient than the one it followed, or could be no reply to one. */
  isShifted: boolean;
  ending: Ending | undefined;
  goodbye: Goodbye;
  /** Whether commands left before the replies to those before them had come. */
  pipelined: boolean;
};

/** The session that reports, as far as its report needs it. */
type Reporter = {
  roster: Roster;
  asked: AskedHost;
  parts: { facts: DomainFacts; hosts: HostMemory };
};

/** How often a probe may go back because a session ended before it was answered. */
const mostReturns = 4;

/** How often a probe may go back with a doubt. */
const mostDoubts = 2;

export function report(transcript: Transcript, reporter: Reporter): void {
  const { roster, asked, parts } = reporter;
  const { ending, pipelined } = transcript;
  const lines = inStep(transcript);
  const isVoid = lines.length < transcript.lines.length;
  const isCut = ending !== undefined && isCutShort(ending);
  if ((isVoid || isCut) && pipelined) parts.hosts.learn(asked.target.host, { noPipelining: true });
  roster.end();
  for (const { probe, isCertain } of roster.declined)
    settleProbe(probe, visitWithoutSmtputf8(asked.target.host, isCertain));
  learnFacts(lines, reporter);
  const unanswered = roster.all.filter((probe) => !isAnswered(probe, lines, roster));
  const returning = unanswered.filter((probe) => mayGoBack(probe, { transcript, lines, roster }));
  const heard = { lines, ending, mayWait: true };
  if (returning.length === 0) {
    concludeAll(roster.all, heard, reporter);
    return;
  }
  const [leader] = roster.all;
  const isWaiting = leader !== undefined && returning.includes(leader);
  if (isWaiting) keepCompanions(leader, roster.carried.filter(stillWaits));
  const concluding = roster.all.filter(
    (probe) => !returning.includes(probe) && !(isWaiting && roster.carried.includes(probe)),
  );
  concludeAll(concluding, heard, reporter);
  roster.giveBack(returning, (probe) => lines.length === 0 || !roster.pending.includes(probe));
}

/**
 * Returns the lines that are certain to answer their own command. One command at a time, a reply can hardly belong to
 * another one; a surplus reply then shows at QUIT. In a pipelined conversation QUIT must have got its own reply.
 */
function inStep({ lines, isShifted, goodbye, pipelined }: Transcript): readonly Line[] {
  if (isShifted || goodbye === 'out_of_step') return none;
  if (goodbye === 'in_step' || !pipelined) return lines;
  return lines.filter(({ said, email }) => namesOwn({ lines: [said.text] }, email));
}

const none: readonly never[] = [];

/** Whether a probe was answered here, or was brought along with its answer by the probe that began the session. */
function isAnswered(probe: PendingProbe, lines: readonly Line[], { carried }: Roster): boolean {
  return carried.includes(probe) || ownLine(probe, lines) !== undefined;
}

function ownLine({ recipient }: PendingProbe, lines: readonly Line[]): Line | undefined {
  return lines.find((line) => line.recipient === 'target' && line.email === recipient);
}

type Ended = { transcript: Transcript; lines: readonly Line[]; roster: Roster };

/** Whether another conversation may answer a probe that this one left open. */
function mayGoBack(probe: PendingProbe, { transcript, lines, roster }: Ended): boolean {
  const { ending, pipelined } = transcript;
  if (probe.isSettled || roster.declined.some((one) => one.probe === probe)) return false;
  if (ownLine(probe, transcript.lines) !== undefined) return pipelined && probe.returns < mostReturns;
  // Its opening was answered and the host said no more: it would say no more the next time.
  if (probe.opening !== undefined && lines.length > 0) return false;
  if (ending === undefined) return true;
  const isNamed = !roster.pending.includes(probe);
  // The replies to a group may be lost with the connection; one command at a time, its first ones are heard.
  if (lines.length === 0) return ending.kind === 'broken' && isCutShort(ending) && probe.returns === 0;
  if (isNamed && probe.returns >= mostReturns) return false;
  return ending.kind === 'refused' || ending.fault === 'closed' || (ending.fault === 'timeout' && !isNamed);
}

/** Remembers the replies to made-up recipients for each domain here, and forgets facts that they contradict. */
function learnFacts(lines: readonly Line[], { roster, asked, parts }: Reporter): void {
  for (const domain of domainsOf(roster)) {
    const before = heardBefore(roster, domain);
    const heard = linesAt(domain, before.length === 0 ? lines : [...before, ...lines]);
    const answer = heardOfMadeUp(heard);
    if (answer?.kind === 'yes') parts.facts.learn(domain, asked, { answer: 'yes' });
    else if (answer?.kind === 'no') {
      const refusedAs = answer.from === 'contrast' ? templateOfRefusal(heard) : undefined;
      parts.facts.learn(domain, asked, { answer: 'no', refusedAs });
    } else if (contradictsYes(heard, parts.facts.recall(domain, asked.target))) {
      parts.facts.forget(domain, asked.target);
    }
  }
}

/** Whether a host that is known to take every recipient has refused one as unknown. */
function contradictsYes(lines: readonly Line[], known: ReturnType<DomainFacts['recall']>): boolean {
  if (known?.answer.kind !== 'yes') return false;
  return lines.some(
    ({ said, recipient }) =>
      said.meaning.label === 'mailbox_not_exist' || (recipient === 'made_up' && said.read.code >= 500),
  );
}

function heardBefore({ all }: Roster, domain: CanonicalHost): readonly Line[] {
  const first = all[0];
  return first?.address.host === domain ? first.heard : none;
}

function domainsOf({ all }: Roster): Iterable<CanonicalHost> {
  const domain = all[0]?.address.host;
  // Mostly all are of one domain.
  if (domain !== undefined && all.every(({ address }) => address.host === domain)) return [domain];
  return new Set(all.map(({ address }) => address.host));
}

function linesAt(domain: CanonicalHost, lines: readonly Line[]): readonly Line[] {
  const isHere = (line: Line): boolean => line.domain === domain;
  return lines.every(isHere) ? lines : lines.filter(isHere);
}

type Concluded = { probe: PendingProbe; conclusion: Conclusion; lines: readonly Line[] };

type Heard = {
  lines: readonly Line[];
  ending: Ending | undefined;
  /** Whether the probe may wait for another conversation that asks for a made-up recipient. */
  mayWait: boolean;
};

const outOfStep: Ending = { kind: 'broken', phase: 'quit', fault: 'protocol_error' };

/** Settles the probes, or gives them back with their doubt. */
function concludeAll(probes: readonly PendingProbe[], heard: Heard, reporter: Reporter): void {
  const { asked, parts } = reporter;
  const { lines, ending = outOfStep } = heard;
  const doubtful: Concluded[] = [];
  for (const probe of probes) {
    if (probe.isSettled) continue;
    const concluded = concludeFor(probe, lines, reporter);
    if (concluded === undefined) {
      const { host } = asked.target;
      settleProbe(probe, visitWithoutAnswer(ending, { host, traits: parts.hosts.recall(host) }));
    } else if (concluded.conclusion.doubt === undefined || probe.doubts >= mostDoubts)
      settle(concluded, asked);
    else if (!waitsForAnother(concluded, heard, reporter)) doubtful.push(concluded);
  }
  if (doubtful.length === 0) return;
  for (const domain of new Set(doubtful.map(({ probe }) => probe.address.host)))
    askAnew(
      doubtful.filter(({ probe }) => probe.address.host === domain),
      reporter,
    );
}

/** Has a probe concluded again when the conversation that asks for the made-up recipient of its domain has ended. */
function waitsForAnother({ probe, conclusion }: Concluded, heard: Heard, reporter: Reporter): boolean {
  if (conclusion.doubt?.first !== 'anyone' || !heard.mayWait) return false;
  const again = (): void => concludeAll([probe], { ...heard, mayWait: false }, reporter);
  return reporter.parts.facts.whenEnded(probe.address.host, reporter.asked.target, again);
}

function stillWaits({ isSettled }: PendingProbe): boolean {
  return !isSettled;
}

function concludeFor(
  probe: PendingProbe,
  lines: readonly Line[],
  { asked, parts }: Reporter,
): Concluded | undefined {
  const { host: domain } = probe.address;
  const here = linesAt(domain, lines);
  const all = probe.heard.length === 0 ? here : [...probe.heard, ...here];
  const facts = {
    // Hardly ever needed: mostly the same session has asked.
    get known() {
      return parts.facts.recall(domain, asked.target);
    },
    hasOwnWords: all.every(
      ({ said }) => !isStateOfMailbox(said.meaning) || isInOwnWords(asked.provider, said.text),
    ),
  };
  const conclusion = conclude(probe.recipient, all, facts);
  return conclusion && { probe, conclusion, lines: all };
}

function settle(concluded: Concluded, asked: AskedHost): void {
  settleProbe(concluded.probe, visitOf(concluded, asked));
}

function visitOf({ conclusion }: Concluded, { target }: AskedHost): Visit {
  const { meaning, catchAll, contrast, replies } = conclusion;
  const evidence = { kind: 'answered', host: target.host, replies, meaning, catchAll } as const;
  return { kind: 'answered', evidence: contrast === undefined ? evidence : { ...evidence, contrast } };
}

/** Gives the doubtful probes of a domain back: each begins a conversation, or waits for one that another begins. */
function askAnew(doubtful: readonly Concluded[], { roster, asked }: Reporter): void {
  const leaders = doubtful.filter(
    ({ conclusion: { doubt } }) => doubt?.first === 'made_up' && doubt.then === undefined,
  );
  const leader = leaders.toSorted((one, other) => other.probe.deadline - one.probe.deadline)[0];
  const given: PendingProbe[] = [];
  const companions: PendingProbe[] = [];
  for (const concluded of doubtful) {
    const { probe, lines } = concluded;
    const opening = openingFor(concluded, leader);
    if (opening === 'none') settle(concluded, asked);
    else {
      holdVisit(probe, visitOf(concluded, asked));
      const isCompanion = opening === 'with_leader';
      keepDoubt(probe, { opening: isCompanion ? undefined : opening, heard: lines, companions: none });
      (isCompanion ? companions : given).push(probe);
    }
  }
  if (leader !== undefined) keepCompanions(leader.probe, companions);
  roster.giveBack(given, () => false);
}

/** Returns the recipients with which a conversation may settle the doubt. */
function openingFor(
  { probe, conclusion, lines }: Concluded,
  leader: Concluded | undefined,
): Opening | undefined | 'with_leader' | 'none' {
  const { doubt } = conclusion;
  switch (doubt?.first) {
    case undefined:
      return 'none';
    case 'made_up':
      return doubt.then === 'target' || leader?.probe === probe ? doubt : 'with_leader';
    case 'another':
      return leader === undefined ? 'none' : 'with_leader';
    case 'anyone':
      return probe.doubts === 0 ? undefined : 'none';
    case 'target':
      return doubt.then === 'made_up' ? doubt : withOrdinary(probe, lines);
  }
}

/**
 * Adds an ordinary recipient, unless a caller waits for a single answer: an accepted mailbox after it would only
 * delay that.
 */
function withOrdinary(probe: PendingProbe, lines: readonly Line[]): Opening | 'none' {
  const accepted = lines.find(
    (line) => isOrdinaryAccepted(line) && line.email !== probe.recipient && isAscii(line.email),
  );
  const ordinary = accepted?.email.slice(0, accepted.email.lastIndexOf('@'));
  if (ordinary === undefined && (probe.asker.urgency === 'single' || probe.doubts > 0)) return 'none';
  return { first: 'target', then: 'ordinary', ordinary };
}

/** Settles the companions with the visits held for them if their leader ends before its conversation begins. */
function keepCompanions(leader: PendingProbe, companions: readonly PendingProbe[]): void {
  attachCompanions(leader, companions);
  if (companions.length === 0) return;
  tellWhenSettled(leader, () => {
    for (const probe of leader.companions) if (probe.held !== undefined) settleProbe(probe, probe.held);
  });
}

/** Tells every probe that the host could not be connected. */
export function reportNotConnected(roster: Roster): void {
  roster.end();
  for (const probe of roster.all) settleProbe(probe, probe.held ?? { kind: 'not_connected' });
}

/** Gives every probe back unasked, unless it came back often enough. */
export function giveBackOrGiveUp(roster: Roster): void {
  roster.end();
  for (const probe of roster.all) {
    if (probe.returns >= mostReturns) settleProbe(probe, probe.held ?? { kind: 'not_connected' });
  }
  const [leader] = roster.all;
  if (leader !== undefined) keepCompanions(leader, roster.carried.filter(stillWaits));
  roster.giveBack(
    roster.all.filter((probe) => !roster.carried.includes(probe)),
    () => true,
  );
}
