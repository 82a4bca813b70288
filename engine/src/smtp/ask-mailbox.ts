import type { MailTarget } from '../dns/mail-route.ts';
import type { MailboxEvidence } from '../evidence.ts';
import type { Patience } from '../patience.ts';
import type { Address } from '../syntax/address.ts';
import { visitHost, type VisitParts } from './visit-host.ts';

/**
 * Asks the domain's mail hosts for a mailbox: host after host in order of preference until one answers,
 * within one time for all and with at most two conversations.
 */
export async function askMailbox(
  { address, targets }: { address: Address; targets: (patience: Patience) => AsyncIterable<MailTarget> },
  parts: VisitParts,
  patience: Patience,
): Promise<MailboxEvidence> {
  const { clock, limits } = parts;
  const within = { ...patience, deadline: Math.min(patience.deadline, clock.now() + limits.smtpPhaseMs) };
  let last: MailboxEvidence & { kind: 'no_answer' } = unreachable;
  let conversations = 0;
  for await (const target of targets(within)) {
    for (let again = true; again && conversations < limits.conversations;) {
      const visit = await visitHost({ address, target }, parts, within);
      if (visit.kind === 'answered') return visit.evidence;
      if (visit.kind === 'not_connected') break;
      conversations += 1;
      last = visit.evidence;
      if (visit.turn === 'stop') return last;
      again = visit.turn === 'same_host';
    }
    if (conversations >= limits.conversations || clock.now() >= within.deadline) return last;
  }
  return last;
}

/** Forbidden, refused and silent addresses read alike: the answer must not map anybody's network (threats A5). */
const unreachable: MailboxEvidence & { kind: 'no_answer' } = {
  kind: 'no_answer',
  reason: 'mx_unreachable',
  meaning: undefined,
  connected: false,
  host: undefined,
  replies: [],
};
