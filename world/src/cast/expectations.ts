/** The outcomes of the cast, each with the engine's reason where one reason is the right one. */
import type { Expectation } from './place.ts';

export const safe = { status: 'safe', reason: 'mailbox_accepted' } as const;
export const role = { status: 'role_account', reason: 'mailbox_accepted' } as const;
export const catchAll = { status: 'catch_all', reason: 'accepts_every_address' } as const;
export const noSuchMailbox = { status: 'invalid', reason: 'user_unknown' } as const;
export const full = { status: 'inbox_full' } as const;
export const disabled = { status: 'disabled', reason: 'mailbox_disabled' } as const;
export const trap = { status: 'spamtrap', reason: 'spamtrap_listed' } as const;
export const disposable = { status: 'disposable' } as const;

export function unknown(reason?: string): Expectation {
  return reason === undefined ? { status: 'unknown' } : { status: 'unknown', reason };
}

/** The domain cannot receive mail. */
export function invalidDomain(reason: string): Expectation {
  return { status: 'invalid', reason };
}

/** Nobody can tell whether the domain receives mail. */
export function unavailable(reason?: string): Expectation {
  const error = 'verification_unavailable';
  return reason === undefined ? { error } : { error, reason };
}
