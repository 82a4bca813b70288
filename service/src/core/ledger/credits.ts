/**
 * The words of the ledger.
 *
 * An account has four figures, and always granted = available + reserved + spent. A request or a task first
 * reserves credits (a hold). Every hold is settled exactly once: conclusive answers are charged, the rest is
 * released. Each step is an entry in an append-only ledger, numbered per account without gaps.
 *
 *     grant ──▶ available ──reserve──▶ reserved ──charge──▶ spent
 *                   ▲                     │
 *                   └──────release────────┘
 */
export const mostCredits = 1_000_000_000_000;

export type Balance = { granted: number; available: number; reserved: number; spent: number };

/** Throws unless the amount is whole, positive and far below 2^53; any other amount is a defect of the caller. */
export function assertCredits(credits: number): void {
  if (Number.isSafeInteger(credits) && credits >= 1 && credits <= mostCredits) return;
  throw new RangeError(`credits must be a whole number from 1 to ${mostCredits}`);
}
