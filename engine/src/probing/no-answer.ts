import type { NoAnswerReason, ReadReply } from '../evidence.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Fault } from '../smtp/connection.ts';
import { demandsTls } from '../smtp/demands-tls.ts';
import type { HostTraits } from './host-traits.ts';
import type { Interpretation } from './interpret-reply.ts';
import type { Setback } from '../smtp/open-conversation.ts';
import type { NextStep, Visit } from './pending-probe.ts';

/** How a conversation ended that bore no answer: by a fault of the line, or by a reply and what it means. */
export type Fate = (Setback & { kind: 'broken' }) | (Setback & { kind: 'refused' } & Interpretation);

type NoAnswerContext = { host: CanonicalHost; traits: HostTraits };

/** What a visit says that ended without a word about the mailbox, and what to do next. */
export function noAnswer(fate: Fate, { host, traits }: NoAnswerContext): Visit & { kind: 'no_answer' } {
  if (fate.kind === 'broken') {
    return build(host, { reason: reasonOf(fate.fault), next: nextAfterFault(fate, traits) });
  }
  const { meaning, read } = fate;
  // Before the mailbox was named no refusal can be about it, whatever words it borrows.
  const aboutUs = meaning.label === 'blocked_or_policy' || meaning.label === 'greylisted_or_temporary';
  return build(host, {
    reason: 'host_refused',
    next: nextAfterRefusal(fate, traits),
    meaning: aboutUs ? meaning : undefined,
    replies: [read],
  });
}

export function smtputf8NotOffered(host: CanonicalHost): Visit & { kind: 'no_answer' } {
  return build(host, { reason: 'smtputf8_not_offered', next: 'stop' });
}

type Found = {
  reason: NoAnswerReason;
  next: NextStep;
  meaning?: ReplyMeaning | undefined;
  replies?: ReadReply[];
};

function build(
  host: CanonicalHost,
  { reason, next, meaning, replies = [] }: Found,
): Visit & { kind: 'no_answer' } {
  return {
    kind: 'no_answer',
    next,
    evidence: { kind: 'no_answer', reason, meaning, connected: true, host, replies },
  };
}

function reasonOf(fault: Fault): NoAnswerReason {
  switch (fault) {
    case 'timeout':
      return 'smtp_timeout';
    case 'closed':
      return 'connection_lost';
    case 'protocol_error':
    case 'tls_failed':
      return fault;
  }
}

/** Another host may do better where this one hung up or never greeted; one that breaks the protocol is left alone. */
function nextAfterFault({ phase, fault }: Setback & { kind: 'broken' }, traits: HostTraits): NextStep {
  if (fault === 'protocol_error') return 'stop';
  if (phase === 'starttls' && traits.tls === 'broken') return 'same_host';
  if (fault === 'closed') return 'next_host';
  return fault === 'timeout' && phase === 'banner' ? 'next_host' : 'stop';
}

function nextAfterRefusal({ phase, reply }: Setback & { kind: 'refused' }, traits: HostTraits): NextStep {
  if (reply.code === 421 && traits.tls === 'demanded' && demandsTls(reply)) return 'same_host';
  const temporary = reply.code < 500;
  return reply.code === 421 || (temporary && (phase === 'banner' || phase === 'ehlo')) ? 'next_host' : 'stop';
}
