import { statement, type Tx } from '../db/statement.ts';

const deleteExpired = statement((db, arg: { now: number }) =>
  db.deleteFrom('session').where('expires_at', '<=', arg.now),
);

/** For the sweep. An expired session is no session long before its row is gone. */
export async function eraseExpiredSessions(tx: Tx, now: number): Promise<number> {
  return tx.change(deleteExpired, { now });
}
