import type { VerificationResult } from '@mailproof/client';
import type { IconName } from '../parts/icon.tsx';

export type SignalAnswer = 'yes' | 'no' | 'not_known';
type ShownSignal = {
  name: string;
  answer: SignalAnswer;
  /** Whether that is good to hear, bad, or neither. */
  tone: 'good' | 'bad' | 'neutral';
};

/** In the order in which they are shown; `wish` is the answer that a sender hopes for. */
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

/** Every signal; one that is absent was not looked at, which is not the same as no. */
export function readSignals(result: VerificationResult): ShownSignal[] {
  return signals.map(({ field, name, wish }) => {
    const value = result[field];
    if (typeof value !== 'boolean') return { name, answer: 'not_known', tone: 'neutral' };
    const tone = wish === undefined ? 'neutral' : value === wish ? 'good' : 'bad';
    return { name, answer: value ? 'yes' : 'no', tone };
  });
}

/**
 * A mark that agrees with the words beside it: a check where a wish is met by a yes, a warning where a yes is bad news,
 * a cross where a no is. A no that is as it should be has a dash: a check before “Disposable: no” would read as a yes.
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
