import type { CatchAllAnswer, ReadReply } from '../evidence.ts';
import type { Said } from './contrast.ts';
import { contrastFor, randomProbeOf } from './session-contrast.ts';
import { settleProbe, visitWithoutAnswer, type Ending, type Visit } from './pending-probe.ts';
import { askElsewhere, type MailboxAnswer } from './session-probes.ts';
import type { SmtpSession } from './session.ts';

/** What a session tells those who asked, now that it is over: nothing was found out of the domain. */
export const undetermined: CatchAllAnswer = { kind: 'undetermined', meaning: undefined };

const outOfStep: Ending = { kind: 'broken', phase: 'quit', fault: 'protocol_error' };

/** Hands out what was heard, now that the goodbye has shown whether it was in step. */
export function reportAnswer(
  session: SmtpSession,
  answer: MailboxAnswer,
  goodbye: 'in_step' | 'out_of_step',
): void {
  const { probe, said } = answer;
  const { catchAllLookups } = session.parts;
  const { host } = session.destination.target;
  if (goodbye === 'out_of_step') {
    settleProbe(probe, visitAfter(session, outOfStep));
    return;
  }
  const known = catchAllLookups.look(probe.address.host, host);
  if (known === 'being_asked' && said[0].meaning.label === 'accepted') {
    return void catchAllLookups.wait(probe.address.host, host).then((catchAll) => {
      const isLost = catchAll.kind === 'undetermined' && catchAll.meaning === undefined;
      // Whoever asked has not found out: it takes another conversation, in which this one may be asked for itself.
      if (isLost && probe.returns === 0) askElsewhere(session.probes, [answer]);
      else settleProbe(probe, answeredVisit(session, answer, catchAll));
    });
  }
  const heard = randomProbeOf(session, probe.address.host)?.answer ?? undetermined;
  const isKnown = heard.kind === 'undetermined' && known !== undefined && known !== 'being_asked';
  settleProbe(probe, answeredVisit(session, answer, isKnown ? known : heard));
}

/** The visit of those whom the session ended without a word about. */
export function visitAfter({ destination, parts }: SmtpSession, ending: Ending): Visit {
  const { host } = destination.target;
  return visitWithoutAnswer(ending, { host, traits: parts.hosts.recall(host) });
}

export function answeredVisit(session: SmtpSession, answer: MailboxAnswer, catchAll: CatchAllAnswer): Visit {
  const { host } = session.destination.target;
  const random = randomProbeOf(session, answer.probe.address.host);
  const { said } = answer;
  const { meaning, read } = said[0];
  const replies =
    random === undefined && said.length === 1
      ? [read]
      : [read].concat((random?.said ?? []).map(readOf), said.slice(1).map(readOf));
  const contrast = contrastFor(session, answer);
  const evidence = { kind: 'answered', host, replies, meaning, catchAll } as const;
  return { kind: 'answered', evidence: contrast === undefined ? evidence : { ...evidence, contrast } };
}

function readOf({ read }: Said): ReadReply {
  return read;
}
