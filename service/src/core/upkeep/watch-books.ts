import { freezeAccount } from '../ledger/freeze-account.ts';
import type { AuditAccount, Violation } from '../ledger/violation.ts';
import { othersFirst } from '../store/others-first.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';
import type { AuditReport } from './audit.ts';
import { auditNews } from './audit-news.ts';

type WatchBooksParts = {
  store: Pick<Store, 'read' | 'snapshot' | 'write'>;
  wallClock: WallClock;
  audits: readonly AuditAccount[];
  onViolation: (violation: Violation) => void;
  monotonic?: { now(): number };
};

export const auditEveryMs = 5 * 60_000;

export type WatchBooks = {
  /** Audits what is new since the last time, whichever process audited it then. */
  look: (stop?: AbortSignal) => Promise<AuditReport>;
  /** The entries that the look under way has to audit, and how many of them it has. */
  progress: () => { audited: number; entries: number };
};

/**
 * Audits and freezes. An account whose ledger does not balance can reserve nothing until an operator has looked at it
 * and unfrozen it; until then it is not audited again. Nothing is repaired automatically.
 */
export function createWatchBooks(parts: WatchBooksParts): WatchBooks {
  const { store, wallClock, audits, monotonic = performance } = parts;
  let progress = { audited: 0, entries: 0 };

  async function look(stop: AbortSignal = never): Promise<AuditReport> {
    const report: AuditReport = { accounts: 0, tasks: 0, violations: [] };
    const accounts = await findNews(store);
    progress = { audited: 0, entries: accounts.reduce((sum, { entries }) => sum + entries, 0) };
    const onProgress = (entries: number) => void (progress.audited += entries);
    for (const { id } of accounts) {
      const { tasks, violations } = await auditNews(id, {
        store,
        wallClock,
        audits,
        monotonic,
        onProgress,
        stop,
      });
      report.accounts += 1;
      report.tasks += tasks;
      report.violations.push(...violations);
      if (violations.length > 0) await freeze(id, violations);
      violations.forEach(parts.onViolation);
    }
    return report;
  }

  async function freeze(accountId: string, violations: Violation[]): Promise<void> {
    const because = [...new Set(violations.map(({ invariant }) => invariant))].join(' ');
    const frozen = { accountId, because, now: wallClock.now() };
    await store.write((tx) => freezeAccount(tx, frozen), accountId);
  }

  return { look, progress: () => progress };
}

const never = new AbortController().signal;

const sliceAccounts = 500;

const findAccounts = statement((db, arg: { after: string; limit: number }) =>
  db
    .selectFrom('account')
    .leftJoin('audit_mark as mark', 'mark.account_id', 'account.id')
    .select(['account.id', 'account.entries', 'account.frozen_at'])
    .select(['account.granted', 'account.available', 'account.reserved', 'account.spent'])
    .select([
      'mark.entries as mark_entries',
      'mark.granted as mark_granted',
      'mark.available as mark_available',
    ])
    .select(['mark.reserved as mark_reserved', 'mark.spent as mark_spent'])
    .where('account.id', '>', arg.after)
    .orderBy('account.id')
    .limit(arg.limit),
);

/**
 * The accounts whose ledger or figures are not where the last audit left them, and how many entries each has since. All
 * accounts are looked at, but of each only these few figures.
 */
async function findNews({ read }: Pick<Store, 'read'>): Promise<{ id: string; entries: number }[]> {
  const news: { id: string; entries: number }[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: AccountRow[] = await read.all(findAccounts, { after, limit: sliceAccounts });
    for (const row of rows)
      if (row.frozen_at === null && !isAsAudited(row))
        news.push({ id: row.id, entries: row.entries - (row.mark_entries ?? 0) });
    after = rows.length === sliceAccounts ? rows.at(-1)?.id : undefined;
    await othersFirst();
  }
  return news;
}

type AccountRow = {
  id: string;
  entries: number;
  frozen_at: number | null;
  granted: number;
  available: number;
  reserved: number;
  spent: number;
  mark_entries: number | null;
  mark_granted: number | null;
  mark_available: number | null;
  mark_reserved: number | null;
  mark_spent: number | null;
};

function isAsAudited(row: AccountRow): boolean {
  return (
    row.entries === row.mark_entries &&
    row.granted === row.mark_granted &&
    row.available === row.mark_available &&
    row.reserved === row.mark_reserved &&
    row.spent === row.mark_spent
  );
}
