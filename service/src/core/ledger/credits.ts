/**
 * The words of the ledger.
 *
 * An account has four figures: granted = available + reserved + spent, always. A request or a task
 * reserves first (a hold), and every hold is settled exactly once: what was conclusive is charged, the
 * rest is released. Each step is an entry in an append-only ledger, numbered per account without gaps.
 *
 *     grant ──▶ available ──reserve──▶ reserved ──charge──▶ spent
 *                   ▲                     │
 *                   └──────release────────┘
 */
export const mostCredits = 1_000_000_000_000;

export type Balance = { granted: number; available: number; reserved: number; spent: number };

/** Amounts are whole, positive and far below 2^53; anything else is a defect of the caller. */
export function assertCredits(credits: number): void {
  if (Number.isSafeInteger(credits) && credits >= 1 && credits <= mostCredits) return;
  throw new RangeError(`credits must be a whole number from 1 to ${mostCredits}`);
}
