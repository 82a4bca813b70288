import type { Tx } from '../db/statement.ts';
import { pay } from './pay.ts';
import { refusal } from './refusal.ts';
import type { ReserveAnswer } from './reserve.ts';

/** Reserves a credit and charges it at once, for what is known before it is paid for. */
type Spending = { accountId: string; holdId: string; now: number };

export type SpendAnswer = { kind: 'spent' } | Exclude<ReserveAnswer, { kind: 'reserved' }>;

export async function spend(tx: Tx, { accountId, holdId, now }: Spending): Promise<SpendAnswer> {
  const paid = await pay(tx, { accountId, holdIds: [holdId], now });
  return paid ? { kind: 'spent' } : refusal(tx, accountId);
}
