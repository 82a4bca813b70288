import { sql } from 'kysely';
import { settle } from '../../core/ledger/settle.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import { writeListEvent } from './write-list-event.ts';

/** The end of a run: the hold is settled once, what was conclusive is charged and the rest goes back. */
const findAtEnd = statement((db, arg: { list: string }) =>
  db
    .selectFrom('list')
    .select(['account_id', 'mode', 'hold_id', 'conclusive', 'wanted', 'checked'])
    .where('id', '=', arg.list)
    .where('state', 'in', [sql.lit('running' as const), sql.lit('paused' as const)]),
);

const findUnfinished = statement((db, arg: { list: string }) =>
  db
    .selectFrom('list')
    .select('id')
    .where('id', '=', arg.list)
    .where((eb) => eb('checked', '<', eb.ref('wanted'))),
);

const writeEnd = statement((db, arg: { list: string; state: 'completed' | 'cancelled'; now: number }) =>
  db
    .updateTable('list')
    .set({ state: arg.state, ended_at: arg.now, waiting: 0, next_due: null })
    .where('id', '=', arg.list)
    .where('state', 'in', [sql.lit('running' as const), sql.lit('paused' as const)]),
);

/** Completes the list if its last address is answered. */
export async function endIfDone(tx: Tx, listId: string, now: number): Promise<void> {
  if ((await tx.first(findUnfinished, { list: listId })) === undefined)
    await endList(tx, { listId, state: 'completed', now });
}

/** `false` where it had ended before. Tasks that are still open have to be taken back first. */
export async function endList(
  tx: Tx,
  { listId, state, now }: { listId: string; state: 'completed' | 'cancelled'; now: number },
): Promise<boolean> {
  const list = await tx.first(findAtEnd, { list: listId });
  if (list === undefined) return false;
  await tx.change(writeEnd, { list: listId, state, now });
  if (state === 'completed') {
    const used = list.hold_id === null ? 0 : list.conclusive;
    await writeListEvent(
      tx,
      { ...list, list_id: listId, now },
      { type: 'list.completed', credits_used: used },
    );
  }
  if (list.hold_id === null) return true;
  const { account_id: accountId, hold_id: holdId, conclusive: charge } = list;
  const settled = await settle(tx, { accountId, holdId, charge, now });
  if (settled.kind !== 'settled') throw new Error('the hold of a running list was settled by somebody else');
  return true;
}
