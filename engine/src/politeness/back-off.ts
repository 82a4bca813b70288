import type { SessionOutcome } from './session-outcome.ts';

/**
 * How long a host or a group is left alone, as pure rules over the outcome of one conversation and the outcomes
 * before it. The numbers are those that senders are publicly asked to keep to.
 */
export type Rest = {
  /** Whether the one address rests or all hosts of its group. */
  scope: 'address' | 'group';
  reason: string;
  restMs: number;
  /** After a full stop: at most this many connections a minute until `forMs` have passed. */
  slow?: { perMinute: number; forMs: number };
};

/** Earlier failures at the address and at its group. */
export type PastFailures = {
  /** Conversations in a row that could not be connected or were sent away for the time being. */
  failures: number;
  /** Conversations in a row that ended in silence. */
  silences: number;
  /** Whether the group has complained about us so often that it should be left alone (`blamedFor`). */
  groupComplains: boolean;
};

const minute = 60_000;
const firstRest = 5 * minute;
const longestRest = 60 * minute;

/** How long the object of a complaint is left alone: a group, a domain in it, or the questions of one account. */
export const complaintRestMs = 60 * minute;

/** Yahoo's code for "too much from this address"; it asks to stay away for hours. */
const yahooThrottle = /\bTSS?0\d\b/;
const reputationWords = /\breputation\b|\bblock ?list|\bblacklist|\bspamhaus\b|\bbanned\b/i;

export function restAfter(outcome: SessionOutcome, past: PastFailures, group: string): Rest | undefined {
  return restAfterReply(outcome, past, group) ?? restAfterFailure(outcome, past) ?? restAfterComplaints(past);
}

function restAfterReply(
  { turnedAway, ban }: SessionOutcome,
  past: PastFailures,
  group: string,
): Rest | undefined {
  // A ban is latched for the one egress address (reputation/closures.ts); the host itself needs no rest.
  if (turnedAway === undefined || ban !== undefined) return undefined;
  const { code, enhanced, lines } = turnedAway.reply;
  const text = lines.join(' ');
  if (yahooThrottle.test(text)) return { scope: 'group', reason: 'provider_throttles', restMs: 120 * minute };
  if (group === 'google' && (code === 421 || enhanced === '4.7.28')) {
    return { scope: 'group', reason: 'provider_throttles', restMs: 10 * minute };
  }
  if (turnedAway.meaning.label === 'blocked_or_policy' && reputationWords.test(text)) {
    return {
      scope: 'group',
      reason: 'reputation_doubted',
      restMs: minute,
      slow: { perMinute: 1, forMs: 90 * minute },
    };
  }
  return code < 500
    ? { scope: 'address', reason: 'host_defers', restMs: doubling(past.failures) }
    : undefined;
}

/** One lost connection is chance, two in a row are a host that is down; a third silence is a tarpit. */
function restAfterFailure(
  { connected, fault }: SessionOutcome,
  { failures, silences }: PastFailures,
): Rest | undefined {
  if (!connected && failures >= 2)
    return { scope: 'address', reason: 'host_unreachable', restMs: doubling(failures - 1) };
  if (fault === 'timeout' && silences >= 3)
    return { scope: 'address', reason: 'host_silent', restMs: 15 * minute };
  return undefined;
}

function restAfterComplaints({ groupComplains }: PastFailures): Rest | undefined {
  return groupComplains
    ? { scope: 'group', reason: 'provider_refuses_us', restMs: complaintRestMs }
    : undefined;
}

/** 5 minutes, 10, 20, 40, and an hour from then on. */
function doubling(times: number): number {
  return Math.min(longestRest, firstRest * 2 ** Math.max(0, times - 1));
}

/**
 * The culprit of a group's complaints, as far as it can be told from its replies within ten minutes.
 *
 * A recipient's domain or a single account may cause complaints that no other caller would meet: a tenant that
 * blocks us, a list that goes nowhere else. So a group is left alone for all callers only under two conditions. The
 * complaints came from recipients of more than one domain. And if more than one account has asked there, they came
 * from more than one account.
 */
export type Complaint = { at: number; account: string; domain: string };

/** An account that asked at a group, and when it last did. */
export type RecentAsker = { account: string; at: number };

type Blamed =
  | { kind: 'nobody' }
  /** It will not have us, whichever account asks. */
  | { kind: 'everybody' }
  /** Probes for this domain, or by this account, and nothing else. */
  | { kind: 'domain'; domain: string }
  | { kind: 'account'; account: string };

const complaintWindowMs = 600_000;
const complaintsThatCount = 5;

/** More would not change the culprit. */
const complaintsKept = 50;

/** Only the question matters whether there was more than one. */
const askersKept = 2;

export function blamedFor(complaints: readonly Complaint[], askers: readonly RecentAsker[]): Blamed {
  const [first] = complaints;
  if (first === undefined || complaints.length < complaintsThatCount) return { kind: 'nobody' };
  const { account, domain } = first;
  if (complaints.every((one) => one.domain === domain)) return { kind: 'domain', domain };
  if (complaints.some((one) => one.account !== account)) return { kind: 'everybody' };
  return askers.some((one) => one.account !== account) ? { kind: 'account', account } : { kind: 'everybody' };
}

export function addComplaint(complaints: readonly Complaint[], complaint: Complaint): Complaint[] {
  const since = complaint.at - complaintWindowMs;
  return [...complaints.filter(({ at }) => at > since), complaint].slice(-complaintsKept);
}

export function addAsker(askers: readonly RecentAsker[], asker: RecentAsker): RecentAsker[] {
  const since = asker.at - complaintWindowMs;
  const others = askers.filter(({ account, at }) => account !== asker.account && at > since);
  return [...others, asker].slice(-askersKept);
}
