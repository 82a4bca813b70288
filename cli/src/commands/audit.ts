import { audit } from '@mailproof/service';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { say } from '../store/answer.ts';
import { withStore } from '../store/with-store.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  takes: '[--json]',
  summary: 'check the books: every promise of the ledger over the whole database',
  options: {
    json: {
      type: 'flag',
      meaning: '{accounts, tasks, violations: [{invariant, account_id, task_id?, detail}]}',
    },
  },
  notes: [
    'Looks only, repairs nothing, and may run beside the service. The exit code is 1 where a promise is broken.',
  ],
  examples: ['mailproof audit', 'mailproof audit --json'],
  words: { least: 0, most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const { accounts, tasks, violations } = await audit(parts);
      const rows = violations.map(({ invariant, accountId, taskId, detail }) => ({
        invariant,
        account_id: accountId,
        ...(taskId === undefined ? {} : { task_id: taskId }),
        detail,
      }));
      const count = violations.length === 0 ? 'no violation' : `${violations.length} violations`;
      const told = violations.map(({ invariant, accountId, detail }) => ({
        row: {},
        words: `${invariant}  ${accountId}  ${detail}`,
      }));
      const summary = {
        row: { accounts, tasks, violations: rows },
        words: `${accounts} accounts, ${tasks} tasks: ${count}`,
      };
      await say(options.json ? [summary] : [...told, summary], options, surroundings);
      return violations.length === 0 ? exitCodes.ok : exitCodes.found;
    }),
});
