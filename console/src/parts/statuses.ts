import type { VerificationStatus } from '@mailproof/client';

/** The statuses of the contract, and that of a list row that is not an address. */
export type ShownStatus = VerificationStatus | 'rejected';

type Words = {
  /** The status as people call it. */
  label: string;
  /** What it means to someone who wants to send mail there. */
  meaning: string;
};

/** In the order in which they are listed: good news first, what is not known last. */
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

/** A status of a newer service than this page is shown as unknown would be, under its own name. */
export function statusLabel(status: string): string {
  return isShownStatus(status) ? statusWords[status].label : status;
}
