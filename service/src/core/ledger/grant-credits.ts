import { createHash, randomUUID } from 'node:crypto';
import type { ChangeParts } from './record-change.ts';
import type { Balance } from './credits.ts';
import { grant } from './grant.ts';
import { readBalance } from './read-balance.ts';

export type GrantCreditsRequest = {
  accountId: string;
  credits: number;
  /** A repeat with the same word, of the same account, grants nothing more, however late it comes. */
  idempotencyKey?: string | undefined;
};

export type GrantCreditsAnswer =
  | ({ kind: 'granted'; accountId: string } & Balance)
  | { kind: 'account_not_found' }
  | { kind: 'too_many_credits' }
  /** The word was used before, for another amount. */
  | { kind: 'idempotency_mismatch' };

/** Gives credits to an account, on the operator's word, and says what it has now. */
export async function grantCredits(
  { accountId, credits, idempotencyKey }: GrantCreditsRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<GrantCreditsAnswer> {
  const op = idempotencyKey === undefined ? randomUUID() : opOf(accountId, idempotencyKey);
  const now = wallClock.now();
  return store.write(async (tx) => {
    const answer = await grant(tx, { accountId, credits, op, actor, now });
    if (answer.kind === 'account_not_found' || answer.kind === 'too_many_credits') return answer;
    if (answer.kind === 'already_granted' && answer.credits !== credits)
      return { kind: 'idempotency_mismatch' };
    const balance = await readBalance(tx, accountId);
    return balance === undefined ? { kind: 'account_not_found' } : { kind: 'granted', accountId, ...balance };
  }, accountId);
}

/** No two entries of the ledger have the same `op`, so the ledger itself is what a repeat is known by. */
function opOf(accountId: string, idempotencyKey: string): string {
  return `${accountId}:${createHash('sha256').update(idempotencyKey).digest('hex')}`;
}
