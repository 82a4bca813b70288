import { readSchemaVersion } from '@mailproof/service';
import { defineCommand } from '../command.ts';
import { printRows } from '../store/print-rows.ts';
import { withStore } from '../store/with-store.ts';

export const migrateCommand = defineCommand({
  name: 'migrate',
  takes: '[--json]',
  summary: 'update the database schema to this version',
  options: { json: { type: 'flag', meaning: '{schema}' } },
  notes: [
    'The service also does this when it starts. Run it yourself if the service is not allowed to change tables, or if you want to do it in advance. Migrations only add, so the previous version can keep running.',
  ],
  examples: ['mailproof migrate', 'MAILPROOF_DATABASE_URL=postgres://owner@db/mailproof mailproof migrate'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(
      surroundings,
      async (parts) => {
        // Opening it was all there was to do.
        const schema = await readSchemaVersion(parts);
        return printRows(
          [{ row: { schema }, words: `The database has schema version ${schema}` }],
          options,
          surroundings,
        );
      },
      'migrate',
    ),
});
