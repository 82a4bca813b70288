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
