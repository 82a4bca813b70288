import { reasonText, type VerificationStatus } from '@mailproof/client';

/** A status of the contract, or `rejected` for a list row without an address. */
export type ShownStatus = VerificationStatus | 'rejected';

type Words = {
  /** The status in words. */
  label: string;
  /** The meaning for a sender. */
  meaning: string;
};

/** Statuses in display order: good news first, unknown last. */
export const statusWords: Readonly<Record<ShownStatus, Words>> = {
  safe: { label: 'Safe', meaning: 'The mailbox exists and accepts mail. Safe to send.' },
  role_account: {
    label: 'Role account',
    meaning: 'The mailbox accepts mail but belongs to a role, not a person. Several people may read it.',
  },
  catch_all: {
    label: 'Catch-all',
    meaning: 'The domain accepts mail for every address, so we cannot tell whether this mailbox exists.',
  },
  inbox_full: { label: 'Inbox full', meaning: 'The mailbox exists but is full. Mail would bounce.' },
  disposable: {
    label: 'Disposable',
    meaning: 'The domain provides throw-away addresses. Do not expect anyone to read mail there.',
  },
  disabled: { label: 'Disabled', meaning: 'The mailbox exists but is disabled. Mail would bounce.' },
  invalid: { label: 'Invalid', meaning: 'Mail to this address bounces. Do not send.' },
  spamtrap: { label: 'Spam trap', meaning: 'Sending to it harms your reputation. Do not send.' },
  unknown: {
    label: 'Unknown',
    meaning: 'There is no proof either way. No credit was charged.',
  },
  rejected: { label: 'Not an address', meaning: 'This is not a valid email address.' },
};

export const shownStatuses = Object.keys(statusWords).filter(isShownStatus);

export function isShownStatus(text: string): text is ShownStatus {
  return Object.hasOwn(statusWords, text);
}

/** Returns the words of a status. A status of a newer service keeps its name. */
export function statusLabel(status: string): string {
  return isShownStatus(status) ? statusWords[status].label : status;
}

export type StatusCount = { status: ShownStatus; count: number };
export type ProviderCount = {
  provider: string;
  count: number;
  /** Counts by status. */
  statuses: StatusCount[];
};

type Tallied = { status: string; provider: string };

/** Returns counts per status in display order; zeros omitted. */
export function tallyByStatus(answers: Iterable<{ status: string }>): StatusCount[] {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return inOrder(counts);
}

/** Returns counts in display order. A status of a newer service counts as unknown. */
export function inOrder(byStatus: Readonly<Record<string, number>>): StatusCount[] {
  const counts = new Map<ShownStatus, number>();
  for (const [status, count] of Object.entries(byStatus)) {
    const shown = isShownStatus(status) ? status : 'unknown';
    counts.set(shown, (counts.get(shown) ?? 0) + count);
  }
  return shownStatuses.flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : [{ status, count }];
  });
}

/** Returns counts per provider, with statuses. */
export function tallyByProvider(answers: Iterable<Tallied>, most: number): ProviderCount[] {
  const byProvider: Record<string, Record<string, number>> = {};
  for (const { provider, status } of answers) {
    const counts = (byProvider[provider] ??= {});
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return topProviders(byProvider, most);
}

/** Returns the largest providers first; the rest beyond `most` is one last entry. */
export function topProviders(
  byProvider: Readonly<Record<string, Readonly<Record<string, number>>>>,
  most: number,
): ProviderCount[] {
  const sorted = Object.entries(byProvider)
    .map(([provider, counts]) => providerCount(provider, inOrder(counts)))
    .sort((a, b) => b.count - a.count || (a.provider < b.provider ? -1 : 1));
  if (sorted.length <= most) return sorted;
  const rest = sorted.slice(most - 1);
  const together: Record<string, number> = {};
  for (const { status, count } of rest.flatMap(({ statuses }) => statuses))
    together[status] = (together[status] ?? 0) + count;
  return [...sorted.slice(0, most - 1), providerCount(`${rest.length} others`, inOrder(together))];
}

function providerCount(provider: string, statuses: StatusCount[]): ProviderCount {
  return { provider, count: statuses.reduce((sum, { count }) => sum + count, 0), statuses };
}

/** Reasons of list rows without an answer. */
const withoutAnswer: Readonly<Record<string, string>> = {
  blank: 'There is nothing in the address column.',
  pending: 'Not checked yet.',
  waiting: 'The mail server asked us to come back later.',
  not_wanted: 'This address was not selected for checking.',
  cancelled: 'The list was cancelled before this address was checked.',
};

/** Returns the sentence of a reason. A reason of a newer service is shown by its name. */
export function reasonSentence(reason: string): string {
  const own = Object.hasOwn(withoutAnswer, reason) ? withoutAnswer[reason] : undefined;
  return own ?? reasonText(reason) ?? reason.replaceAll('_', ' ');
}
