import type { Tx } from '../../core/store/statement.ts';

type ListState = {
  list_id: string;
  account_id: string;
  mode: 'live' | 'test';
  wanted: number;
  checked: number;
  now: number;
};

type ListEvent = { type: 'list.completed'; credits_used: number } | { type: 'list.paused' };

/** Tells that a list was paused or has been completed, in the transaction that did it. */
export async function writeListEvent(tx: Tx, list: ListState, happened: ListEvent): Promise<void> {
  const { account_id: accountId, now } = list;
  const data = {
    list_id: list.list_id,
    mode: list.mode,
    count_total: list.wanted,
    count_checked: list.checked,
  };
  const event =
    happened.type === 'list.paused'
      ? ({ type: happened.type, data } as const)
      : ({ type: happened.type, data: { ...data, credits_used: happened.credits_used } } as const);
  await tx.tell({ kind: 'event', accountId, event, now });
}
