import type { Explanation, VerificationResult } from '@mailproof/client';
import type { IconName } from '../../parts/elements.tsx';
import { roughly } from '../../parts/format.ts';

/** Abbreviations in their usual spelling. */
const names: Readonly<Record<string, string>> = {
  dns: 'DNS',
  dnssec: 'DNSSEC',
  helo: 'HELO',
  mx: 'MX',
  servfail: 'SERVFAIL',
  smtp: 'SMTP',
  smtputf8: 'SMTPUTF8',
  tls: 'TLS',
};

/** Headlines of the reasons whose name is no phrase of its own. */
const headlines: Readonly<Record<string, string>> = {
  listed_by_blocklist: 'Their server blocks our IP address',
  egress_closed: 'Our IP address is on a block list',
  disposable_listed: 'Known disposable provider',
  spamtrap_listed: 'Known spam trap',
  operator_denied: 'On the operator’s deny list',
  not_asked: 'No mail server asked',
  host_resting: 'Mail server paused',
  speaks_of_us: 'The reply is about us, not the mailbox',
  unexplained: 'Refused without an explanation',
};

/** Returns the reason of a verdict for its headline: “Greylisted. Try again in 5 minutes.” */
export function verdictWhy({ reason, retry }: Pick<Explanation, 'reason' | 'retry'>): string {
  const why = Object.hasOwn(headlines, reason) ? (headlines[reason] ?? reason) : inWords(reason);
  if (!retry.advised) return why;
  return `${why}. Try again ${retry.after_seconds === undefined ? 'later' : `in ${roughly(retry.after_seconds)}`}.`;
}

function inWords(reason: string): string {
  const words = reason
    .split('_')
    .map((word) => (Object.hasOwn(names, word) ? (names[word] ?? word) : word))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type SignalAnswer = 'yes' | 'no' | 'not_known';
type ShownSignal = {
  name: string;
  answer: SignalAnswer;
  /** Good news, bad news, or neither. */
  tone: 'good' | 'bad' | 'neutral';
};

/** Signals in display order; `wish` is the answer that a sender hopes for. */
const signals: readonly { field: keyof VerificationResult; name: string; wish: boolean | undefined }[] = [
  { field: 'is_safe_to_send', name: 'Safe to send', wish: true },
  { field: 'is_deliverable', name: 'Mailbox accepts mail', wish: true },
  { field: 'is_valid_syntax', name: 'Well-formed address', wish: true },
  { field: 'mx_accepts_mail', name: 'Domain accepts mail', wish: true },
  { field: 'can_connect_smtp', name: 'Mail server reached', wish: true },
  { field: 'is_catch_all', name: 'Accepts every address', wish: false },
  { field: 'has_inbox_full', name: 'Mailbox full', wish: false },
  { field: 'is_disabled', name: 'Mailbox disabled', wish: false },
  { field: 'is_disposable', name: 'Disposable', wish: false },
  { field: 'is_spamtrap', name: 'Spam trap', wish: false },
  { field: 'is_role_account', name: 'Role account', wish: undefined },
  { field: 'is_free_email', name: 'Free provider', wish: undefined },
];

/** Returns every signal. An absent signal was not checked, which is not a no. */
export function readSignals(result: VerificationResult): ShownSignal[] {
  return signals.map(({ field, name, wish }) => {
    const value = result[field];
    if (typeof value !== 'boolean') return { name, answer: 'not_known', tone: 'neutral' };
    const tone = wish === undefined ? 'neutral' : value === wish ? 'good' : 'bad';
    return { name, answer: value ? 'yes' : 'no', tone };
  });
}

/**
 * Returns a mark that agrees with the words beside it: a check for a good yes, a warning for a bad yes, a cross for a
 * bad no. A good no has a dash: a check before “Disposable: no” would read as a yes.
 */
export function signalIcon({ answer, tone }: Pick<ShownSignal, 'answer' | 'tone'>): IconName {
  switch (answer) {
    case 'yes':
      return tone === 'good' ? 'safe' : tone === 'bad' ? 'warning' : 'info';
    case 'no':
      return tone === 'bad' ? 'invalid' : 'rejected';
    case 'not_known':
      return 'unknown';
  }
}
