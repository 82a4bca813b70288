import { audit } from '@mailproof/service';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { counted } from '../present/count.ts';
import { printRows } from '../store/print-rows.ts';
import { withStore } from '../store/with-store.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  takes: '[--json]',
  summary: 'audit the ledger of credits over the whole database',
  options: {
    json: {
      type: 'flag',
      meaning: '{accounts, tasks, violations: [{invariant, account_id, task_id?, detail}]}',
    },
  },
  notes: [
    'It only reads, and can run beside the service. The exit code is 1 if an invariant of the ledger is violated.',
  ],
  examples: ['mailproof audit', 'mailproof audit --json'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const { accounts, tasks, violations } = await audit(parts);
      const rows = violations.map(({ invariant, accountId, taskId, detail }) => ({
        invariant,
        account_id: accountId,
        ...(taskId === undefined ? {} : { task_id: taskId }),
        detail,
      }));
      const count = violations.length === 0 ? 'no violations' : counted(violations.length, 'violation');
      const told = violations.map(({ invariant, accountId, detail }) => ({
        row: {},
        words: `${invariant}  ${accountId}  ${detail}`,
      }));
      const summary = {
        row: { accounts, tasks, violations: rows },
        words: `${counted(accounts, 'account')}, ${counted(tasks, 'task')}: ${count}`,
      };
      await printRows(options.json ? [summary] : [...told, summary], options, surroundings);
      return violations.length === 0 ? exitCodes.ok : exitCodes.found;
    }),
});
