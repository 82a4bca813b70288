import { mailTargets } from '../dns/mail-targets.ts';
import type { HostParts, HostResolver } from '../dns/resolve-host.ts';
import type { MailPortWatch } from '../routes/watch-mail-port.ts';
import type { MailboxEvidence, NoAnswerReason } from '../evidence.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { PolicyBook } from '../politeness/policy.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import type { Visit } from './pending-probe.ts';
import type { ProbeScheduler } from './probe-scheduler.ts';
import type { Probe } from './prober.ts';

/**
 * Asks the domain's mail hosts for a mailbox: host after host in order of preference until one answers,
 * with at most two conversations. Hosts that are not to be asked, or whose answer is known beforehand,
 * cost nobody a packet.
 */
export type AskMailboxParts = Pick<HostParts, 'reachesIpv6'> & {
  limits: Limits;
  /** Asked for the names of further mail hosts, when the first cannot be reached. */
  resolver: HostResolver;
  policies: PolicyBook;
  scheduler: Pick<ProbeScheduler, 'ask'>;
  mailPort: Pick<MailPortWatch, 'isBlocked' | 'takeTrial'>;
};

export async function askMailbox(
  { address, route, asker, egress }: Probe,
  parts: AskMailboxParts,
  patience: Patience,
): Promise<MailboxEvidence> {
  const { limits, policies, scheduler, mailPort } = parts;
  switch (policies.policyFor(route.first.name).asking) {
    case 'skip':
      return unasked('provider_policy');
    case 'takes_every_address':
      return unasked('provider_accepts_everything');
    case 'probe':
      break;
  }
  if (mailPort.isBlocked().kind === 'blocked' && !mailPort.takeTrial()) return unasked('mail_port_blocked');
  let last: NoAnswer | undefined;
  let conversations = 0;
  const targets = mailTargets(route, parts, patience);
  for await (const target of targets) {
    for (let again = true; again && conversations < limits.conversations;) {
      const visit = await scheduler.ask({ address, target, asker, egress }, patience);
      if (visit.kind === 'answered') return visit.evidence;
      if (visit.kind === 'not_ours') return unasked('no_prober');
      if (visit.kind === 'resting') last = sooner(last, atRest(visit));
      if (costsNothing(visit)) targets.wasFree();
      if (visit.kind !== 'no_answer') break;
      conversations += 1;
      if (visit.next === 'stop') return visit.evidence;
      last = visit.evidence;
      again = visit.next === 'same_host';
    }
    if (conversations >= limits.conversations) break;
  }
  return last ?? unasked('mx_unreachable');
}

/** A host that is left alone, or that refuses at once, costs no time: those behind it are not to pay for it. */
function costsNothing(visit: Visit): boolean {
  return visit.kind === 'resting' || (visit.kind === 'not_connected' && visit.silent !== true);
}

type NoAnswer = MailboxEvidence & { kind: 'no_answer' };

/**
 * Nobody was spoken to. Forbidden, refused and silent addresses read alike: the answer must not map
 * anybody's network.
 */
function unasked(reason: NoAnswerReason): NoAnswer {
  return { kind: 'no_answer', reason, meaning: undefined, connected: false, host: undefined, replies: [] };
}

function atRest({ reason, forMs }: Visit & { kind: 'resting' }): NoAnswer {
  const meaning: ReplyMeaning = { label: 'greylisted_or_temporary', reason };
  return { ...unasked('host_resting'), meaning, ...(forMs === undefined ? {} : { retryAfterMs: forMs }) };
}

/** Where several hosts of a domain rest, the first that may be asked again decides when to come back. */
function sooner(last: NoAnswer | undefined, next: NoAnswer): NoAnswer {
  if (last?.reason !== 'host_resting') return next;
  const { retryAfterMs: known = Infinity } = last;
  return known <= (next.retryAfterMs ?? Infinity) ? last : next;
}
