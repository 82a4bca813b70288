import { statement, type Reader } from '../../../core/store/statement.ts';
import type { AuditAction, AuditDetail } from '../../../core/ledger/record-change.ts';

/** A page of the audit log, the newest first. */
export type AuditEntry = {
  number: number;
  at: number;
  actor: string;
  action: AuditAction;
  subject: string;
  detail: AuditDetail;
};

const findEntries = statement((db, arg: { before: number; limit: number }) =>
  db
    .selectFrom('audit_log')
    .select(['number', 'at', 'actor', 'action', 'subject', 'detail'])
    .where('number', '<', arg.before)
    .orderBy('number', 'desc')
    .limit(arg.limit),
);

export async function listChanges(
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
  { store }: { store: { read: Reader } },
): Promise<AuditEntry[]> {
  const rows = await store.read.all(findEntries, { before, limit });
  // Only `recordChange` writes the detail.
  return rows.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail) as AuditDetail }));
}
