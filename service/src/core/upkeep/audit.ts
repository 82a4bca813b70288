import { auditBooks } from '../ledger/audit-books.ts';
import { readAuditMark, type AuditMark } from '../ledger/audit-mark.ts';
import type { AuditAccount, Violation } from '../ledger/violation.ts';
import type { Store } from '../store/store.ts';
import { statement, type Reader } from '../store/statement.ts';
import { auditTasks } from '../verify/tasks/audit-tasks.ts';

/** An audit of a whole store, as commands that copy or restore one take it. */
export type Audit = (parts: Pick<AuditParts, 'store'>) => Promise<AuditReport>;

/**
 * Checks the promises of the ledger and the tasks over the whole database, or over the accounts that were touched
 * since a given moment. It reads one snapshot, so that concurrent work appears neither half done nor missing.
 *
 * It takes as long as there is much to read, and is a command. What the service itself does is in watch-books.ts.
 */
export type AuditReport = { accounts: number; tasks: number; violations: Violation[] };

export type AuditParts = {
  store: Pick<Store, 'snapshot'>;
  /** Audits of what features keep of an account. */
  audits: readonly AuditAccount[];
};

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

export async function auditStore(
  { store, audits }: AuditParts,
  { since }: { since: number } = { since: 0 },
): Promise<AuditReport> {
  return store.snapshot(async (reader) => {
    const report: AuditReport = { accounts: 0, tasks: 0, violations: [] };
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: { id: string }[] = await reader.all(findAccounts, { after, since, limit: sliceAccounts });
      for (const { id } of rows) await addAccount(reader, id, { report, audits });
      after = rows.length === sliceAccounts ? rows.at(-1)?.id : undefined;
    }
    return report;
  });
}

async function addAccount(
  reader: Reader,
  accountId: string,
  { report, audits }: { report: AuditReport } & Pick<AuditParts, 'audits'>,
): Promise<void> {
  const { tasks, violations } = await auditTasks(reader, accountId);
  report.accounts += 1;
  report.tasks += tasks;
  report.violations.push(...(await auditBooks(reader, accountId)), ...violations);
  for (const auditMore of audits) report.violations.push(...(await auditMore(reader, accountId)));
}

const findAccount = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('frozen_at').where('id', '=', arg.account),
);

type AccountAudit = AuditReport & {
  frozenAt: number | null;
  /** The last time the service found all of it to agree, and the last entry then: what is wrong came later. */
  balanced: AuditMark['balanced'];
};

/** One account, all of it. `undefined` where there is no such account. */
export async function auditStoreAccount(
  accountId: string,
  { store, audits }: AuditParts,
): Promise<AccountAudit | undefined> {
  return store.snapshot(async (reader) => {
    const account = await reader.first(findAccount, { account: accountId });
    if (account === undefined) return undefined;
    const report: AuditReport = { accounts: 0, tasks: 0, violations: [] };
    await addAccount(reader, accountId, { report, audits });
    const { balanced } = await readAuditMark(reader, accountId);
    return { ...report, frozenAt: account.frozen_at, balanced };
  });
}
