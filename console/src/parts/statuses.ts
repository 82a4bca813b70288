import type { VerificationStatus } from '@mailproof/client';

/** What the page can say of an address: the contract's statuses, and a row of a list that is no address. */
export type ShownStatus = VerificationStatus | 'rejected';

type Words = {
  /** The status as people call it. */
  label: string;
  /** What it means for whoever wants to write there. */
  meaning: string;
};

/** In the order in which they are listed: good news first, what is not known last. */
export const statusWords: Readonly<Record<ShownStatus, Words>> = {
  safe: { label: 'Safe', meaning: 'The mailbox exists and takes mail. Safe to send.' },
  role_account: {
    label: 'Role account',
    meaning:
      'The mailbox takes mail and stands for a function, not a person. Mail to it may be read by several.',
  },
  catch_all: {
    label: 'Catch-all',
    meaning: 'The domain takes mail for every name, so nobody can tell whether this one has a reader.',
  },
  inbox_full: { label: 'Inbox full', meaning: 'The mailbox exists, but is full. Mail would come back.' },
  disposable: {
    label: 'Disposable',
    meaning: 'The domain hands out addresses to be thrown away. Expect nobody there tomorrow.',
  },
  disabled: { label: 'Disabled', meaning: 'The mailbox is known and switched off. Mail would come back.' },
  invalid: { label: 'Invalid', meaning: 'Mail to this address comes back. Do not send.' },
  spamtrap: { label: 'Spam trap', meaning: 'Writing to it harms your reputation. Do not send.' },
  unknown: {
    label: 'Unknown',
    meaning: 'There is no proof either way, and nothing was charged.',
  },
  rejected: { label: 'No address', meaning: 'What stands there is no email address.' },
};

export const shownStatuses = Object.keys(statusWords).filter(isShownStatus);

export function isShownStatus(text: string): text is ShownStatus {
  return Object.hasOwn(statusWords, text);
}

/** A status of a newer service than this page is shown as unknown would be, under its own name. */
export function statusLabel(status: string): string {
  return isShownStatus(status) ? statusWords[status].label : status;
}
