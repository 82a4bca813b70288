import { readSchemaVersion } from '@mailproof/service';
import { defineCommand } from '../command.ts';
import { say } from '../store/answer.ts';
import { withStore } from '../store/with-store.ts';

export const migrateCommand = defineCommand({
  name: 'migrate',
  takes: '[--json]',
  summary: 'bring the database to the schema of this version',
  options: { json: { type: 'flag', meaning: '{schema}' } },
  notes: [
    'The service does this at its start as well. Run it before where the service may not change tables, or where you want to see it done. Steps only add, so the version before goes on running beside it.',
  ],
  examples: ['mailproof migrate', 'MAILPROOF_DATABASE_URL=postgres://owner@db/mailproof mailproof migrate'],
  words: { least: 0, most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      // Opening it was all there was to do.
      const schema = await readSchemaVersion(parts);
      return say([{ row: { schema }, words: `the database has schema ${schema}` }], options, surroundings);
    }),
});
