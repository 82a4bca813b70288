import type { CatchAllAnswer } from '../evidence.ts';
import { noAnswer, smtputf8NotOffered, type Fate } from './no-answer.ts';
import type { Setback } from '../smtp/open-conversation.ts';
import type { Held, Talk } from './talk.ts';
import type { PendingProbe, Visit } from './pending-probe.ts';

/** How often a probe may go back to the queue because a conversation ended before it was answered. */
export const mostReturns = 4;

/**
 * A conversation that ended before everybody was answered. Where it had borne fruit, those left over are
 * asked for in another one; where it bore none, they share its fate.
 */
export function suffer(talk: Talk, fate: Fate): void {
  const { host } = talk.destination.target;
  const visit = noAnswer(fate, { host, traits: talk.parts.hosts.recall(host) });
  const back: PendingProbe[] = [];
  for (const probe of [...talk.named, ...talk.pending]) {
    if (mayGoBack(talk, probe, fate)) back.push(probe);
    else probe.settle(visit);
  }
  talk.named = [];
  talk.pending = [];
  giveBack(talk, back);
}

function mayGoBack(talk: Talk, probe: PendingProbe, setback: Setback): boolean {
  if (talk.held.length === 0 || probe.returns >= mostReturns) return false;
  if (setback.kind === 'refused') return true;
  if (setback.fault === 'timeout') return !talk.named.includes(probe);
  return setback.fault === 'closed';
}

/** Those that there was no room for go back to where they came from. */
export function giveBack({ supply }: Talk, probes: PendingProbe[]): void {
  const open = probes.filter((probe) => !probe.isSettled());
  for (const probe of open) probe.returns += 1;
  supply.giveBack(open);
}

/** Hands out what was heard, now that the goodbye has shown whether it was in step. */
export function deliver(talk: Talk, goodbye: 'in_step' | 'out_of_step'): void {
  closeQuestions(talk);
  for (const probe of talk.declined) probe.settle(smtputf8NotOffered(talk.destination.target.host));
  for (const held of talk.held) {
    if (goodbye === 'out_of_step') held.probe.settle(outOfStep(talk));
    else settle(talk, held);
  }
}

/** Whoever waits for a random probe that this conversation took on is told that nothing will come of it. */
export function closeQuestions(talk: Talk): void {
  const { questions } = talk;
  talk.questions = [];
  for (const domain of questions)
    talk.parts.catchAllLookups.answer(domain, { kind: 'undetermined', meaning: undefined });
}

function settle(talk: Talk, held: Held): void {
  const { probe, meaning } = held;
  const { catchAllLookups } = talk.parts;
  const { host } = talk.destination.target;
  const known = catchAllLookups.look(probe.address.host, host);
  if (known !== 'being_asked' || meaning.label !== 'accepted') {
    probe.settle(answered(talk, held, knownOr(known)));
    return;
  }
  void catchAllLookups
    .wait(probe.address.host, host)
    .then((catchAll) => probe.settle(answered(talk, held, catchAll)));
}

function knownOr(known: CatchAllAnswer | 'being_asked' | undefined): CatchAllAnswer {
  return known === undefined || known === 'being_asked'
    ? { kind: 'undetermined', meaning: undefined }
    : known;
}

function answered(talk: Talk, { probe, meaning, reply }: Held, catchAll: CatchAllAnswer): Visit {
  const randomProbe = talk.randomProbeReplies.find(({ domain }) => domain === probe.address.host);
  const replies = randomProbe === undefined ? [reply] : [reply, randomProbe.reply];
  const { host } = talk.destination.target;
  return { kind: 'answered', evidence: { kind: 'answered', host, replies, meaning, catchAll } };
}

function outOfStep(talk: Talk): Visit {
  const { host } = talk.destination.target;
  const setback = { kind: 'broken', phase: 'quit', fault: 'protocol_error' } as const;
  return noAnswer(setback, { host, traits: talk.parts.hosts.recall(host) });
}
