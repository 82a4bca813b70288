import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { HostParts, HostResolver, MailRoute, MailTarget } from '../dns/mail-route.ts';
import { mailTargets } from '../dns/mail-targets.ts';
import type { MailboxEvidence, NoAnswerReason } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import { emptyNamespace, isFields, type MemoryNamespace } from '../memory.ts';
import type { Patience } from '../patience.ts';
import type { PolicyBook } from '../politeness/policy.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import type { MailPortWatch } from '../routes/watch-mail-port.ts';
import type { Address } from '../syntax/address.ts';
import type { Visit } from './pending-probe.ts';
import type { ProbeScheduler } from './probe-scheduler.ts';

/** One question: a mailbox at a domain whose mail hosts are known, and the asker. */
export type Probe = {
  address: Address;
  route: MailRoute & { kind: 'takes_mail' };
  asker: Asker;
  /** The egress address that should ask, if one was chosen among several probers'; else the prober chooses. */
  egress?: string | undefined;
  /** Whether an earlier answer will not do. */
  isFresh?: boolean | undefined;
  /** Called, as far as possible, when the mailbox is about to be named to a mail host. */
  onNamed?: (() => void) | undefined;
};

/**
 * The part that asks mail hosts. It owns the addresses that conversations leave from and is polite on each of them.
 * It knows nothing of verdicts, accounts' credits or results. The prober of this process is a function call away;
 * another may run in a process or a network of its own.
 */
export type Prober = { ask(probe: Probe, patience: Patience): Promise<MailboxEvidence> };

type ProberParts = Pick<HostParts, 'reachesIpv6'> & {
  limits: Limits;
  /** Asked for the names of further mail hosts, when the first cannot be reached. */
  resolver: HostResolver;
  policies: PolicyBook;
  scheduler: Pick<ProbeScheduler, 'ask'>;
  mailPort: Pick<MailPortWatch, 'isBlocked' | 'takeTrial'>;
  reach: HostReach;
};

export function createLocalProber(parts: ProberParts): Prober {
  return { ask: (probe, patience) => askMailbox(probe, parts, patience) };
}

/**
 * Asks the domain's mail hosts for a mailbox: host after host in order of preference until one answers or the
 * caller's time is up. Hosts that must not be asked, or whose answer is known beforehand, get no packet.
 */
export function askMailbox(probe: Probe, parts: ProberParts, patience: Patience): Promise<MailboxEvidence> {
  const why = reasonNotToAsk(probe, parts);
  return why === undefined ? walkHosts(probe, parts, patience) : Promise.resolve(unasked(why));
}

function reasonNotToAsk({ route }: Probe, { policies, mailPort }: ProberParts): NoAnswerReason | undefined {
  switch (policies.policyFor(route.first.name).asking) {
    case 'skip':
      return 'provider_policy';
    case 'takes_every_address':
      return 'provider_accepts_everything';
    case 'probe':
      return mailPort.isBlocked().kind === 'blocked' && !mailPort.takeTrial()
        ? 'mail_port_blocked'
        : undefined;
  }
}

async function walkHosts(
  { address, route, asker, egress, onNamed }: Probe,
  parts: ProberParts,
  patience: Patience,
): Promise<MailboxEvidence> {
  const { limits, scheduler, reach } = parts;
  noteUnresolved(route, reach);
  let last: NoAnswer | undefined;
  const declined = new Declined();
  let conversations = 0;
  const targets = mailTargets(route, parts, patience);
  let target: MailTarget | undefined = targets.first();
  while (target !== undefined) {
    for (let again = true; again && conversations < limits.conversations;) {
      const visit = await scheduler.ask({ address, target, asker, egress, onNamed }, patience);
      reach.note(target.host, visit.kind);
      declined.note(target.host, visit);
      if (visit.kind === 'answered') return believed(visit.evidence, route, reach);
      if (visit.kind === 'not_ours') return unasked('no_prober');
      if (visit.kind === 'closed') return unasked('egress_closed');
      if (visit.kind === 'identity_unproven') last ??= unasked('identity_unproven');
      if (visit.kind === 'resting') last = sooner(last, atRest(visit));
      if (visit.kind !== 'no_answer') break;
      conversations += 1;
      if (visit.next === 'stop') return visit.evidence;
      last = visit.evidence;
      again = visit.next === 'same_host';
    }
    targets.wasFree();
    target = conversations < limits.conversations ? (await targets.next()).value : undefined;
  }
  return declined.byAll(route.mxRecords, last) ?? last ?? unasked('mx_unreachable');
}

/**
 * Mail that every mail host of a domain has declined for good: any mail (RFC 7504), or addresses beyond ASCII (RFC
 * 6531 section 3.1). A host that could not be asked, or that said anything else, leaves the rest without proof.
 */
class Declined {
  private hosts: Map<string, 'mail' | 'smtputf8'> | undefined;
  private isUnanimous = true;

  note(host: string, visit: Visit): void {
    const declines = visit.kind === 'no_answer' ? visit.declines : undefined;
    if (declines === undefined) this.isUnanimous = false;
    else (this.hosts ??= new Map()).set(host, declines);
  }

  byAll(names: readonly string[], last: NoAnswer | undefined): NoAnswer | undefined {
    const { hosts } = this;
    if (hosts === undefined || last === undefined || !this.isUnanimous) return undefined;
    if (!names.every((name) => hosts.has(name))) return undefined;
    const isAnyMail = [...hosts.values()].every((declines) => declines === 'mail');
    return {
      ...last,
      meaning: undefined,
      reason: isAnyMail ? 'hosts_take_no_mail' : 'no_host_offers_smtputf8',
    };
  }
}

/** Notes the names before the first host of the route, which do not resolve. */
function noteUnresolved({ mxRecords, first }: Probe['route'], reach: HostReach): void {
  for (const name of mxRecords) {
    if (name === first.name) return;
    reach.note(name, 'not_connected');
  }
}

/**
 * Judges the yes of a backup host. A backup that takes every recipient keeps mail for the preferred hosts and knows no
 * mailbox. Its yes counts only if none of those could be reached for a day: then they are names that were left
 * behind in DNS.
 */
function believed(evidence: Answered, route: Probe['route'], reach: HostReach): MailboxEvidence {
  const { host, replies } = evidence;
  if (!isYesToAll(evidence)) return evidence;
  const preferred = route.mxRecords.slice(0, route.preferred);
  if (preferred.includes(host) || preferred.every((name) => reach.isGone(name))) return evidence;
  return {
    kind: 'no_answer',
    reason: 'backup_accepts_everything',
    meaning: undefined,
    connected: true,
    host,
    replies,
  };
}

/** Whether the answer rests on a made-up recipient having been accepted. */
function isYesToAll({ meaning, catchAll, contrast }: Answered): boolean {
  return contrast === 'unlike_made_up' || (meaning.label === 'accepted' && catchAll.kind === 'yes');
}

type Answered = MailboxEvidence & { kind: 'answered' };
type NoAnswer = MailboxEvidence & { kind: 'no_answer' };

/**
 * Returns evidence without a conversation. Forbidden, refused and silent addresses read alike: the answer must not
 * map any network.
 */
function unasked(reason: NoAnswerReason): NoAnswer {
  return { kind: 'no_answer', reason, meaning: undefined, connected: false, host: undefined, replies: [] };
}

function atRest({ reason, forMs }: Visit & { kind: 'resting' }): NoAnswer {
  const meaning: ReplyMeaning = { label: 'greylisted_or_temporary', reason };
  return { ...unasked('host_resting'), meaning, ...(forMs === undefined ? {} : { retryAfterMs: forMs }) };
}

/**
 * Returns the sooner one: if several hosts of a domain rest, the first that may be asked again decides when to
 * retry.
 */
function sooner(last: NoAnswer | undefined, next: NoAnswer): NoAnswer {
  if (last?.reason !== 'host_resting') return next;
  const { retryAfterMs: known = Infinity } = last;
  return known <= (next.retryAfterMs ?? Infinity) ? last : next;
}

/**
 * Since when a mail host could not be reached. A preferred host that was unreachable for a day is a name that was
 * left behind in DNS, and its backup is the mail host of the domain.
 */
type HostReach = {
  /** Notes the outcome of a visit. */
  note(host: string, visit: Visit['kind']): void;
  /** Whether the host could not be reached for a day, however often it was tried. */
  isGone(host: string): boolean;
};

type ReachParts = {
  clock: Clock;
  /** Tells times that outlive the process. */
  wallClock: { now(): number };
  limits: Pick<Limits, 'hostTraitEntries' | 'hostGoneMs' | 'hostReachMs'>;
  memory?: MemoryNamespace;
};

export function createHostReach(parts: ReachParts): HostReach {
  const { clock, wallClock, limits, memory = emptyNamespace } = parts;
  /** When each host was first found unreachable, after it was last reached. */
  const since = createBoundedCache<number>({ clock, maxEntries: limits.hostTraitEntries });
  memory.follow(({ key, value, lifeMs }) => {
    const told = isFields(value) ? value['since'] : undefined;
    if (lifeMs <= 0) since.delete(key);
    else if (typeof told === 'number')
      since.set(key, Math.min(told, since.peek(key) ?? told), Math.min(lifeMs, limits.hostReachMs));
  });
  return {
    note(host, visit) {
      const before = since.get(host);
      if (visit === 'not_connected') {
        since.set(host, before ?? wallClock.now(), limits.hostReachMs);
        if (before === undefined) memory.learn(host, { since: wallClock.now() }, limits.hostReachMs);
      } else if (before !== undefined && (visit === 'answered' || visit === 'no_answer')) {
        since.delete(host);
        memory.learn(host, null, 0);
      }
    },
    isGone(host) {
      const first = since.peek(host);
      return first !== undefined && wallClock.now() - first >= limits.hostGoneMs;
    },
  };
}
