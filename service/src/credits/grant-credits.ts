import { randomUUID } from 'node:crypto';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import type { Balance } from './credits.ts';
import { grant } from './grant.ts';
import { readBalance } from './read-balance.ts';

export type GrantCreditsAnswer =
  | ({ kind: 'granted'; accountId: string } & Balance)
  | { kind: 'account_not_found' }
  | { kind: 'too_many_credits' };

/** Gives credits to an account, on the operator's word, and says what it has now. */
export async function grantCredits(
  { accountId, credits }: { accountId: string; credits: number },
  { store, wallClock }: { store: Pick<Store, 'write'>; wallClock: WallClock },
): Promise<GrantCreditsAnswer> {
  const op = randomUUID();
  const now = wallClock.now();
  return store.write(async (tx) => {
    const answer = await grant(tx, { accountId, credits, op, now });
    if (answer.kind === 'account_not_found' || answer.kind === 'too_many_credits') return answer;
    const balance = await readBalance(tx, accountId);
    return balance === undefined ? { kind: 'account_not_found' } : { kind: 'granted', accountId, ...balance };
  });
}
