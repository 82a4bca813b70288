/** Places without an answer: each of these mail hosts leaves a verifier with `unknown`. */
import type { Zone } from '../dns/zones.ts';
import { type Fault, type Phase, phases, type Temper } from '../smtp/temper.ts';
import { faultHost, tempers } from '../tempers.ts';
import { type Person, type Place, placeOf, safe, unknown } from './place.ts';

type Why = { reason?: string; story: string };

function hostile(domain: string, temper: Temper, { reason, story }: Why): Place {
  return placeOf(domain, { temper }, [{ who: 'alive', expect: unknown(reason), story }]);
}

function hostileForLong(domain: string, temper: Temper, story: string): Place {
  return placeOf(domain, { temper }, [{ who: 'alive', expect: unknown('smtp_timeout'), story, slow: true }]);
}

const slowFaults: ReadonlySet<Fault> = new Set(['silence', 'drip']);

/**
 * A wrong answer to QUIT shows that the host was answering the wrong commands, and voids its earlier replies. A host
 * that leaves, or takes its time, shows no such thing.
 */
const soundGoodbyes: ReadonlySet<Fault> = new Set([
  'fin',
  'rst',
  'silence',
  'drip',
  'reply_421',
  'early_reply',
]);

/** Faults after which a reader has no reply, or a reply that is about the host and not the mailbox. */
const reasons: Partial<Record<Fault, string>> = {
  fin: 'connection_lost',
  rst: 'connection_lost',
  half_reply: 'connection_lost',
  silence: 'smtp_timeout',
  drip: 'smtp_timeout',
  reply_421: 'deferred',
  reply_4xx: 'deferred',
  reply_5xx: 'host_refused',
};
const readableReplies: ReadonlySet<Fault> = new Set(['code_354', 'code_changes']);

/** Undefined where more than one reason would do. */
function faultReason(phase: Phase, fault: Fault): string | undefined {
  if (readableReplies.has(fault) || (fault === 'reply_5xx' && phase === 'rcpt')) return undefined;
  const reason = phase === 'quit' ? undefined : reasons[fault];
  if (reason !== undefined && phase === 'random_rcpt') return 'catch_all_undetermined';
  return reason ?? 'protocol_error';
}

/** A cell of the matrix as a place. */
export function faultPlace(phase: Phase, fault: Fault): Place {
  const domain = `${fault}-at-${phase}.test`.replaceAll('_', '-');
  const expect = phase === 'quit' && soundGoodbyes.has(fault) ? safe : unknown(faultReason(phase, fault));
  const story = `${fault.replaceAll('_', ' ')} at ${phase.replaceAll('_', ' ')}`;
  const person: Person = { who: 'alive', expect, story, ...(slowFaults.has(fault) ? { slow: true } : {}) };
  return { domain, hosts: { [`mx.${domain}`]: faultHost(phase, fault) }, people: [person] };
}

const everywhere = (['fin', 'rst', 'silence', 'reply_421'] as const).flatMap((fault) =>
  phases.map((phase) => faultPlace(phase, fault)),
);
const atRcpt = (
  ['endless_line', 'endless_reply', 'early_reply', 'control_bytes', 'half_reply', 'flood', 'garbage'] as const
).map((fault) => faultPlace('rcpt', fault));
const oddReplies = (['code_999', 'code_354', 'code_changes', 'nul_bytes'] as const).map((fault) =>
  faultPlace('rcpt', fault),
);

/** A domain whose first mail host fails and whose second one serves. */
function secondServes(domain: string, first: Temper, story: string): Place {
  return {
    domain,
    zones: {
      [domain]: {
        mx: [
          [10, `mx1.${domain}`],
          [20, `mx2.${domain}`],
        ],
      },
    },
    hosts: { [`mx1.${domain}`]: { temper: first }, [`mx2.${domain}`]: { mailboxes: { alive: 'exists' } } },
    people: [{ who: 'alive', expect: safe, story }],
  };
}

/** The mail host is at an address that the egress guard forbids. */
function forbidden(domain: string, address: string): Place {
  const zones: Record<string, Zone> = {
    [domain]: { mx: [[10, `mx.${domain}`]] },
    [`mx.${domain}`]: { a: [address] },
  };
  return {
    domain,
    zones,
    people: [{ who: 'x', expect: unknown('mx_unreachable'), story: `the mail host is at ${address}` }],
  };
}

export const hostilePlaces: Place[] = [
  hostile('greylist.test', tempers.greylist, {
    reason: 'greylisted',
    story: 'greylisted; unknown mailboxes are refused at once',
  }),
  hostile('greylist-all.test', tempers.greylistEverybody, {
    reason: 'greylisted',
    story: 'greylisted, unknown mailboxes as well',
  }),
  hostile('dead.test', tempers.dead, { reason: 'mx_unreachable', story: 'nothing listens' }),
  hostile('busy-banner.test', tempers.busyBanner, { reason: 'deferred', story: '450 at the banner' }),
  hostile('closed-banner.test', tempers.closedBanner, { story: '554 at the banner' }),
  hostile('http.test', tempers.http, { reason: 'protocol_error', story: 'a web server' }),
  hostile('ssh.test', tempers.ssh, { reason: 'protocol_error', story: 'an SSH server' }),
  hostile('blocked-banner.test', tempers.blockedAtBanner, {
    reason: 'listed_by_blocklist',
    story: 'we are on a block list, said at the banner',
  }),
  hostile('blocked-mail.test', tempers.blockedAtMail, {
    reason: 'listed_by_blocklist',
    story: 'we are on a block list, said at MAIL',
  }),
  hostile('blocked-rcpt.test', tempers.blockedAtRcpt, {
    reason: 'listed_by_blocklist',
    story: 'we are on a block list, said at RCPT',
  }),
  hostile('ratelimited.test', tempers.rateLimited, { story: 'we are rate limited' }),
  hostileForLong('blackhole.test', tempers.blackhole, 'takes the connection, never speaks'),
  hostileForLong('tarpit.test', tempers.tarpit, 'every reply after 15 s'),
  hostileForLong('drip.test', tempers.drip, 'a byte a second'),
  secondServes('dead-first.test', tempers.dead, 'the first mail host is dead'),
  secondServes('busy-first.test', tempers.busyBanner, 'the first mail host is busy'),
  secondServes('421-first.test', { fault: { phase: 'banner', fault: 'reply_421' } }, 'the first says 421'),
  forbidden('private.test', '10.0.0.1'),
  forbidden('metadata.test', '169.254.169.254'),
  forbidden('multicast.test', '224.0.0.1'),
  ...everywhere,
  ...atRcpt,
  ...oddReplies,
];
