import type { Recalled } from '@mailproof/engine';
import { spend } from '../credits/spend.ts';
import type { Tx } from '../db/statement.ts';
import { freeKey, keepAnswer, takeKey, type Kept } from './answer-once.ts';
import type { VerifyOneAnswer, VerifyOneParts, VerifyOneRequest } from './verify-one.ts';

/**
 * Sells a conclusive verdict that is known without asking anybody: reserve and settle are one transaction, and
 * requests that come together share it at the till.
 */
export async function sellKnown(
  request: VerifyOneRequest,
  known: Recalled,
  { store, till, wallClock }: Pick<VerifyOneParts, 'store' | 'till' | 'wallClock'>,
): Promise<VerifyOneAnswer> {
  const { accountId } = request.caller;
  const { verdict, explanation } = known;
  const answer: Kept = { kind: 'verified', verdict, explanation, creditsUsed: 1 };
  if (request.idempotency !== undefined)
    return store.write((tx) => sellOnce(tx, { request, answer, now: wallClock.now() }), accountId);
  const paid = await till.spend({ accountId, holdId: request.requestId });
  return paid.kind === 'spent' ? { ...answer, replayed: false } : paid;
}

type Sale = { request: VerifyOneRequest; answer: Kept; now: number };

/** The key is answered or given up in this very transaction; but those who share it may meet it before. */
const keyMs = 10_000;

async function sellOnce(tx: Tx, { request, answer, now }: Sale): Promise<VerifyOneAnswer> {
  const earlier = await takeKey(tx, request, { now, processId: null, expiresAt: now + keyMs });
  if (earlier !== undefined) return earlier;
  const { accountId } = request.caller;
  const paid = await spend(tx, { accountId, holdId: request.requestId, now });
  if (paid.kind !== 'spent') {
    await freeKey(tx, request);
    return paid;
  }
  await keepAnswer(tx, request, { answer, now });
  return { ...answer, replayed: false };
}
