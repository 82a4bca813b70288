import { recordChange, type ChangeParts } from './record-change.ts';
import { statement, type Tx } from '../store/statement.ts';
import type { LedgerPoint } from './audit-entries.ts';
import { readOpenCredits } from './audit-figures.ts';
import { moveAuditMark, readAuditMark } from './audit-mark.ts';

const unfreeze = statement((db, arg: { account: string }) =>
  db
    .updateTable('account')
    .set({ frozen_at: null })
    .where('id', '=', arg.account)
    .where('frozen_at', 'is not', null)
    .returning(['entries', 'granted', 'available', 'reserved', 'spent']),
);

const findAccount = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('id').where('id', '=', arg.account),
);

type UnfreezeAnswer =
  { kind: 'unfrozen'; accountId: string; wasFrozen: boolean } | { kind: 'account_not_found' };

/**
 * The operator has looked at an account that the audit froze, and lets it reserve again. Its figures as they are now are
 * accepted: the service audits on from here, and freezes it again only for what goes wrong later. Nothing is repaired, and
 * `mailproof audit` still tells what does not balance. An account that is not frozen stays as it is.
 */
export async function unfreezeAccount(
  { accountId, reason }: { accountId: string; reason: string },
  { store, wallClock, actor }: ChangeParts,
): Promise<UnfreezeAnswer> {
  const now = wallClock.now();
  return store.write(async (tx) => {
    const figures = await tx.first(unfreeze, { account: accountId });
    if (figures === undefined) {
      const account = await tx.first(findAccount, { account: accountId });
      return account === undefined
        ? { kind: 'account_not_found' }
        : { kind: 'unfrozen', accountId, wasFrozen: false };
    }
    await acceptFigures(tx, accountId, { figures, now });
    const change = { action: 'account_unfrozen', subject: accountId, detail: { reason } } as const;
    await recordChange(tx, { actor, ...change, now });
    return { kind: 'unfrozen', accountId, wasFrozen: true };
  }, accountId);
}

async function acceptFigures(
  tx: Tx,
  accountId: string,
  { figures, now }: { figures: LedgerPoint; now: number },
): Promise<void> {
  const before = await readAuditMark(tx, accountId);
  const acceptedGap = figures.reserved - (await readOpenCredits(tx, accountId));
  const after = { through: figures, acceptedGap, balanced: before.balanced, auditedAt: now };
  await moveAuditMark(tx, accountId, { before, after });
}
