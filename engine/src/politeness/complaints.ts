/**
 * Whom a group has had enough of, as far as it can be told from what it said against us within ten minutes.
 *
 * A recipient's domain or a single account may bring complaints about that nobody else would meet: a tenant that blocks
 * us, a list that goes to nobody else. So a group is left alone for everybody only where the complaints came from
 * recipients of more than one domain and, where more than one account has asked there, of more than one account.
 */
export type Complaint = { at: number; account: string; domain: string };

/** An account that asked at a group, and when it last did. */
export type RecentAsker = { account: string; at: number };

type Blamed =
  | { kind: 'nobody' }
  /** It will not have us, whoever asks. */
  | { kind: 'everybody' }
  /** What is asked for this domain, or by this account, and nothing else. */
  | { kind: 'domain'; domain: string }
  | { kind: 'account'; account: string };

const complaintWindowMs = 600_000;
const complaintsThatCount = 5;

/** More would not change who is to blame. */
const complaintsKept = 50;

/** Whether there was more than one is all that is asked. */
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
