import type { Migration } from './migration.ts';

/**
 * What the operator looks back at: the audit log, which the table itself refuses to change, and how verdicts came out.
 * The counts name statuses, reasons and known providers, never an address or a domain.
 */
export const operator: Migration = {
  version: 4,
  statements: ({ integer, counter, table, keyedTable, refuse }) => [
    `create table audit_log (
      number ${counter}, at ${integer} not null, actor text not null, action text not null,
      subject text not null, detail text not null
    ) ${table}`,
    refuse({
      name: 'audit_log_unchanged',
      event: 'update',
      table: 'audit_log',
      saying: 'an entry of the audit log is never changed',
    }),
    refuse({
      name: 'audit_log_kept',
      event: 'delete',
      table: 'audit_log',
      saying: 'an entry of the audit log is never deleted',
    }),
    `create table verdict_count (
      step_ms ${integer} not null check (step_ms > 0), begins_at ${integer} not null,
      outcome text not null, reason text not null, provider text not null,
      verdicts ${integer} not null check (verdicts > 0),
      primary key (step_ms, begins_at, outcome, reason, provider)
    ) ${keyedTable}`,
  ],
};
