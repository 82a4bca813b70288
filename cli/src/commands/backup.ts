import { backUp, verifyBackup, type BackupManifest } from '@mailproof/service';
import { defineCommand, type Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { counted } from '../present/count.ts';
import { printRows, refuse } from '../store/print-rows.ts';
import { loadConfig } from '../load-config.ts';
import { presentAudited, tellBadFile, tellFailure, withStoreErrors } from '../store/backups.ts';

export const backupCommand = defineCommand({
  name: 'backup',
  takes: 'FILE [--verify] [--json]',
  summary: 'back up the database while the service is running, or verify a backup',
  options: {
    verify: { type: 'flag', meaning: 'check FILE instead: unpack it aside, open it and audit its ledger' },
    json: {
      type: 'flag',
      meaning:
        '{file, database, schema, taken_at, bytes, file_bytes}; with --verify {file, database, schema, taken_at, accounts, tasks, violations}',
    },
  },
  notes: [
    'Everything that was acknowledged before taken_at is in the backup. SQLite is copied with its own online backup, PostgreSQL with pg_dump, which must be installed. FILE is compressed, contains addresses, and is readable only for you. An existing file is never overwritten.',
    'To verify a backup of PostgreSQL, MAILPROOF_DATABASE_URL must name a server of its version or later, on which the user may create a database: the backup is restored into a new one (mailproof_verify_…), audited, and the database dropped. That needs as much space as the data. Another server than the one in use will do. Without one, the exit code is 3, and all that is known is that the file is complete and readable.',
  ],
  examples: ['mailproof backup /backups/monday', 'mailproof backup --verify /backups/monday'],
  words: { required: ['FILE'], most: 1 },
  run: ({ positionals: [file = ''], options, ...surroundings }) =>
    withStoreErrors(surroundings, () =>
      options.verify ? verify(file, options, surroundings) : create(file, options, surroundings),
    ),
});

type Options = { json: boolean };

async function create(file: string, options: Options, surroundings: Surroundings): Promise<ExitCode> {
  const config = loadConfig(surroundings);
  if (config === undefined) return exitCodes.environment;
  const answer = await backUp(file, config);
  switch (answer.kind) {
    case 'backed_up': {
      const { manifest, fileBytes, unnoted } = answer;
      if (unnoted !== undefined)
        surroundings.terminal.tell(
          `mailproof: The backup is complete, but could not be noted in the database, which tells its age: ${unnoted}`,
        );
      const words = `Backed up ${megabytes(manifest.bytes)} (${megabytes(fileBytes)} compressed) to ${file}, as of ${manifest.takenAt}. To check it: mailproof backup --verify ${file}`;
      const row = { ...rowOf(file, manifest), bytes: manifest.bytes, file_bytes: fileBytes };
      return await printRows([{ row, words }], options, surroundings);
    }
    case 'file_exists':
      return refuse(`${file} exists. Choose another name; a backup is never overwritten.`, surroundings);
    case 'no_database':
      return refuse(`There is no database at ${answer.where}.`, surroundings);
    case 'failed':
      return tellFailure(answer.line, surroundings);
  }
}

async function verify(file: string, options: Options, surroundings: Surroundings): Promise<ExitCode> {
  const config = loadConfig(surroundings);
  if (config === undefined) return exitCodes.environment;
  const answer = await verifyBackup(file, config);
  switch (answer.kind) {
    case 'sound':
      return await presentAudited({ file, done: 'is sound', ...answer }, options, surroundings);
    case 'not_audited': {
      const { manifest, tables, because } = answer;
      const words = `${file} is complete and readable: ${counted(tables, 'table')}, as of ${manifest.takenAt}.`;
      await printRows([{ row: { ...rowOf(file, manifest), tables }, words }], options, surroundings);
      return tellFailure(
        `The ledger in ${file} was not audited, because no database could be created for it: ${because}. See mailproof backup --help.`,
        surroundings,
      );
    }
    case 'no_backup':
    case 'damaged':
      return tellBadFile(file, answer, surroundings);
    case 'failed':
      return tellFailure(answer.line, surroundings);
  }
}

function rowOf(file: string, { database, schema, takenAt }: BackupManifest): object {
  return { file, database, schema, taken_at: takenAt };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
