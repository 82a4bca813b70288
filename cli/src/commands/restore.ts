import { restore } from '@mailproof/service';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { presentAudited, tellBadFile, tellFailure, withStoreErrors } from '../store/backups.ts';
import { refuse } from '../store/print-rows.ts';

export const restoreCommand = defineCommand({
  name: 'restore',
  takes: 'FILE [--json]',
  summary: 'restore a backup where there is no database yet',
  options: {
    json: { type: 'flag', meaning: '{file, database, schema, taken_at, accounts, tasks, violations}' },
  },
  notes: [
    'SQLite is restored into the data directory, PostgreSQL into the empty database that MAILPROOF_DATABASE_URL names. An existing database is never touched. The backup is checked and its ledger audited; the exit code is 1 if it does not balance. A backup of an older version is brought to the schema of this one.',
  ],
  examples: [
    'MAILPROOF_DATA_DIR=/srv/new mailproof restore /backups/monday',
    'MAILPROOF_DATABASE_URL=postgres://… mailproof restore /backups/monday',
  ],
  words: { required: ['FILE'], most: 1 },
  run: ({ positionals: [file = ''], options, ...surroundings }) =>
    withStoreErrors(surroundings, async () => {
      const config = loadConfig(surroundings);
      if (config === undefined) return exitCodes.environment;
      const answer = await restore(file, config);
      switch (answer.kind) {
        case 'restored':
          return await presentAudited({ file, done: 'is restored', ...answer }, options, surroundings);
        case 'not_empty':
          return refuse(
            `There is a database already (${answer.where}). Move it away, or restore into another place.`,
            surroundings,
          );
        case 'other_database': {
          const name = answer.manifest.database === 'sqlite' ? 'SQLite' : 'PostgreSQL';
          return refuse(
            `${file} is a backup of ${name}. Restore it there, then use mailproof copy to move it.`,
            surroundings,
          );
        }
        case 'no_backup':
        case 'damaged':
          return tellBadFile(file, answer, surroundings);
        case 'failed':
          return tellFailure(answer.line, surroundings);
      }
    }),
});
