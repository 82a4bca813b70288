import { statement, type Reader, type Tx } from '../store/statement.ts';
import { emptyLedger, type LedgerPoint } from './audit-entries.ts';

/**
 * How far the ledger of an account has been audited by the service. Entries are never changed, so what was audited need
 * not be read again: the next audit goes on from there.
 */
export type AuditMark = {
  through: LedgerPoint;
  /** What is reserved without an open hold, as the operator accepted it (see unfreeze-account.ts). */
  acceptedGap: number;
  /** When everything was found to agree for the last time, and the last entry then. */
  balanced: { entries: number; at: number } | undefined;
  auditedAt: number;
};

const findMark = statement((db, arg: { account: string }) =>
  db.selectFrom('audit_mark').selectAll().where('account_id', '=', arg.account),
);

/** Of an account that was never audited: the beginning of its ledger. */
export async function readAuditMark(reader: Reader, accountId: string): Promise<AuditMark> {
  const row = await reader.first(findMark, { account: accountId });
  if (row === undefined) return { through: emptyLedger, acceptedGap: 0, balanced: undefined, auditedAt: 0 };
  const { entries, granted, available, reserved, spent } = row;
  return {
    through: { entries, granted, available, reserved, spent },
    acceptedGap: row.accepted_gap,
    balanced: row.balanced_at === null ? undefined : { entries: row.balanced_entries, at: row.balanced_at },
    auditedAt: row.audited_at,
  };
}

type MarkRow = LedgerPoint & {
  account: string;
  gap: number;
  balancedEntries: number;
  balancedAt: number | null;
  at: number;
  /** What the mark was when the audit began. */
  beforeEntries: number;
  beforeAt: number;
};

const writeMark = statement((db, arg: MarkRow) =>
  db
    .insertInto('audit_mark')
    .values({
      account_id: arg.account,
      entries: arg.entries,
      granted: arg.granted,
      available: arg.available,
      reserved: arg.reserved,
      spent: arg.spent,
      accepted_gap: arg.gap,
      balanced_entries: arg.balancedEntries,
      balanced_at: arg.balancedAt,
      audited_at: arg.at,
    })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet((eb) => ({
          entries: eb.ref('excluded.entries'),
          granted: eb.ref('excluded.granted'),
          available: eb.ref('excluded.available'),
          reserved: eb.ref('excluded.reserved'),
          spent: eb.ref('excluded.spent'),
          accepted_gap: eb.ref('excluded.accepted_gap'),
          balanced_entries: eb.ref('excluded.balanced_entries'),
          balanced_at: eb.ref('excluded.balanced_at'),
          audited_at: eb.ref('excluded.audited_at'),
        }))
        .where('audit_mark.entries', '=', arg.beforeEntries)
        .where('audit_mark.audited_at', '=', arg.beforeAt),
    ),
);

/** Has no effect where another audit, or the operator, has moved the mark since `before` was read. */
export async function moveAuditMark(
  tx: Tx,
  accountId: string,
  { before, after }: { before: AuditMark; after: AuditMark },
): Promise<void> {
  await tx.change(writeMark, {
    ...after.through,
    account: accountId,
    gap: after.acceptedGap,
    balancedEntries: after.balanced?.entries ?? 0,
    balancedAt: after.balanced?.at ?? null,
    at: after.auditedAt,
    beforeEntries: before.through.entries,
    beforeAt: before.auditedAt,
  });
}
