import { audit, auditAccount, type AuditReport, type Violation } from '@mailproof/service';
import { defineCommand, exitCodes, type ExitCode, type Surroundings } from '../command.ts';
import { counted } from '../present/text.ts';
import { noAccount, printRows, withStore, type PrintedRow } from './with-store.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  takes: '[--account ID] [--json]',
  summary: 'audit the ledger of credits over the whole database, or of one account',
  options: {
    account: {
      type: 'text',
      placeholder: 'ID',
      meaning: 'only this account, with the entry since which its ledger does not balance',
    },
    json: {
      type: 'flag',
      meaning:
        '{accounts, tasks, violations: [{invariant, account_id, task_id?, entry?, detail}]}; with --account also frozen_at and balanced: {entry, at}',
    },
  },
  notes: [
    'It only reads, and can run beside the service. The exit code is 1 if an invariant of the ledger is violated.',
    'With --account it also shows the last ledger entry up to which the service found everything in balance. The error is in a later entry.',
  ],
  examples: ['mailproof audit', 'mailproof audit --account acct_0123456789abcdef', 'mailproof audit --json'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      if (options.account === undefined) {
        const report = await audit(parts);
        return await print({ report, more: {}, told: [] }, options, surroundings);
      }
      const report = await auditAccount(options.account, parts);
      if (report === undefined) return noAccount(options.account, surroundings);
      const { balanced, frozenAt } = report;
      const more = {
        frozen_at: isoOrNull(frozenAt),
        balanced: balanced === undefined ? null : { entry: balanced.entries, at: isoOrNull(balanced.at) },
      };
      const told = [
        frozenAt === null ? 'not frozen' : `frozen since ${isoOrNull(frozenAt)}`,
        balanced === undefined
          ? 'the service has never found it in balance'
          : `last found in balance at ${isoOrNull(balanced.at)}, up to ledger entry ${balanced.entries}`,
      ];
      return await print({ report, more, told }, options, surroundings);
    }),
});

type Told = { report: AuditReport; more: object; told: string[] };

async function print(
  { report, more, told }: Told,
  options: { json: boolean },
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { accounts, tasks, violations } = report;
  const count = violations.length === 0 ? 'no violations' : counted(violations.length, 'violation');
  const summary: PrintedRow = {
    row: { accounts, tasks, violations: violations.map(rowOf), ...more },
    words: `${counted(accounts, 'account')}, ${counted(tasks, 'task')}: ${count}`,
  };
  const lines = [...violations.map(wordsOf), ...told].map((words) => ({ row: {}, words }));
  await printRows(options.json ? [summary] : [...lines, summary], options, surroundings);
  return violations.length === 0 ? exitCodes.ok : exitCodes.found;
}

function rowOf({ invariant, accountId, taskId, entry, detail }: Violation): object {
  return {
    invariant,
    account_id: accountId,
    ...(taskId === undefined ? {} : { task_id: taskId }),
    ...(entry === undefined ? {} : { entry }),
    detail,
  };
}

function wordsOf({ invariant, accountId, entry, detail }: Violation): string {
  return `${invariant}  ${accountId}  ${entry === undefined ? '' : `entry ${entry}: `}${detail}`;
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
