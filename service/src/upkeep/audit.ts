import { auditBooks } from '../credits/audit-books.ts';
import type { Violation } from '../credits/violation.ts';
import type { Store } from '../db/store.ts';
import { statement, type Reader } from '../db/statement.ts';
import { auditLists } from '../lists/audit-lists.ts';
import { auditTasks } from '../tasks/audit-tasks.ts';

/**
 * Checks the promises of the ledger and the tasks over the whole database, or over the accounts that were touched
 * since a given moment. It reads one snapshot, so that concurrent work appears neither half done nor missing.
 */
export type AuditReport = { accounts: number; tasks: number; violations: Violation[] };

const sliceAccounts = 1_000;

const findAccounts = statement((db, arg: { after: string; since: number; limit: number }) =>
  db
    .selectFrom('account')
    .select('id')
    .where('id', '>', arg.after)
    .where('touched_at', '>=', arg.since)
    .orderBy('id')
    .limit(arg.limit),
);

export async function audit(
  { store }: { store: Pick<Store, 'snapshot'> },
  { since }: { since: number } = { since: 0 },
): Promise<AuditReport> {
  return store.snapshot(async (reader) => {
    const report: AuditReport = { accounts: 0, tasks: 0, violations: [] };
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: { id: string }[] = await reader.all(findAccounts, { after, since, limit: sliceAccounts });
      for (const { id } of rows) await auditAccount(reader, id, report);
      after = rows.length === sliceAccounts ? rows.at(-1)?.id : undefined;
    }
    return report;
  });
}

async function auditAccount(reader: Reader, accountId: string, report: AuditReport): Promise<void> {
  const { tasks, violations } = await auditTasks(reader, accountId);
  report.accounts += 1;
  report.tasks += tasks;
  report.violations.push(
    ...(await auditBooks(reader, accountId)),
    ...violations,
    ...(await auditLists(reader, accountId)),
  );
}
