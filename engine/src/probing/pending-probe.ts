import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { MailboxEvidence } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Patience } from '../patience.ts';
import type { Address } from '../syntax/address.ts';

/** What to do after a visit that gave no answer. */
export type NextStep = 'stop' | 'next_host' | 'same_host';

/** What came of asking one host for one mailbox. */
export type Visit =
  | { kind: 'not_connected' }
  /** The host is being left alone for a while; nothing was sent. */
  | { kind: 'resting'; reason: string }
  | { kind: 'answered'; evidence: MailboxEvidence & { kind: 'answered' } }
  | { kind: 'no_answer'; evidence: MailboxEvidence & { kind: 'no_answer' }; next: NextStep };

export type MailboxRequest = { address: Address; target: MailTarget; asker: Asker };

/**
 * A request on its way to a conversation.
 *
 *     waiting ──▶ in a conversation ──▶ answered (held until the conversation proved in step) ──▶ settled
 *        └──────────────┴── deadline or abort ──────────────────────────────────────────────────────▶
 *
 * It is settled once, whatever happens to the conversation after that. At its deadline an answer that is
 * held counts: a host that is slow to say goodbye has proved nothing against itself.
 */
export type PendingProbe = MailboxRequest & {
  deadline: number;
  /** How often a conversation took it up and gave it back unasked or unanswered. */
  returns: number;
  isSettled(): boolean;
  /** Keeps an answer for the time being. */
  hold(visit: Visit): void;
  settle(visit: Visit): void;
  /** For a defect of ours: whoever asked gets the error. */
  fail(error: unknown): void;
  /** Called once when it is settled. */
  onSettled(callback: () => void): void;
  outcome: Promise<Visit>;
};

export function createPendingProbe(request: MailboxRequest, patience: Patience, clock: Clock): PendingProbe {
  let settled = false;
  let held: Visit | undefined;
  let callbacks: (() => void)[] = [];
  const { promise: outcome, resolve, reject } = Promise.withResolvers<Visit>();

  function end(): boolean {
    if (settled) return false;
    settled = true;
    cancelTimer();
    patience.signal.removeEventListener('abort', onAbort);
    for (const callback of callbacks) callback();
    return true;
  }
  function settle(visit: Visit): void {
    if (end()) resolve(visit);
  }
  function onAbort(): void {
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    if (end()) reject(patience.signal.reason as Error);
  }
  const cancelTimer = clock.after(patience.deadline - clock.now(), () => settle(held ?? tooLate));
  patience.signal.addEventListener('abort', onAbort, { once: true });
  return {
    ...request,
    deadline: patience.deadline,
    returns: 0,
    isSettled: () => settled,
    hold: (visit) => void (held = visit),
    settle,
    fail: (error) => {
      if (end()) reject(error);
    },
    onSettled: (callback) => void (callbacks = callbacks.concat(callback)),
    outcome,
  };
}

const tooLate: Visit = {
  kind: 'no_answer',
  next: 'stop',
  evidence: {
    kind: 'no_answer',
    reason: 'smtp_timeout',
    meaning: undefined,
    connected: true,
    host: undefined,
    replies: [],
  },
};
