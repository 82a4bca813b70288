import {
  backUp,
  restore,
  StoreOpenError,
  StoreUnavailableError,
  verifyBackup,
  type AuditReport,
  type BackupManifest,
} from '@mailproof/service';
import { defineCommand, exitCodes, type ExitCode, type Surroundings } from '../../command.ts';
import { loadConfig } from '../../config.ts';
import { counted } from '../../present/text.ts';
import { printRows, refuse } from '../../store/with-store.ts';

export const backupCommand = defineCommand({
  name: 'backup',
  feature: 'backups',
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

export const restoreCommand = defineCommand({
  name: 'restore',
  feature: 'backups',
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

type Audited = { file: string; done: string; manifest: BackupManifest; report: AuditReport };

/** Describes an opened backup and the audit of its ledger. */
async function presentAudited(
  { file, done, manifest, report }: Audited,
  options: { json: boolean },
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { database, schema, takenAt } = manifest;
  const { accounts, tasks, violations } = report;
  const balance =
    violations.length === 0
      ? 'the ledger balances'
      : `${counted(violations.length, 'violation')} of the ledger, see mailproof audit`;
  const words = `${file} ${done}: ${counted(accounts, 'account')}, ${counted(tasks, 'task')}, as of ${takenAt}; ${balance}.`;
  const row = { file, database, schema, taken_at: takenAt, accounts, tasks, violations };
  await printRows([{ row, words }], options, surroundings);
  return violations.length === 0 ? exitCodes.ok : exitCodes.found;
}

function tellBadFile(
  file: string,
  { kind }: { kind: 'no_backup' | 'damaged' },
  surroundings: Surroundings,
): ExitCode {
  if (kind === 'no_backup') return refuse(`${file} is not a backup of Mailproof.`, surroundings);
  surroundings.terminal.tell(`mailproof: ${file} is damaged: its content is not what was backed up.`);
  return exitCodes.found;
}

function tellFailure(line: string, { terminal }: Surroundings): ExitCode {
  terminal.tell(`mailproof: ${line}`);
  return exitCodes.environment;
}

/** Runs the work, and tells a failure of the database or the disk in one line. */
async function withStoreErrors(surroundings: Surroundings, work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    const isOutside =
      error instanceof StoreOpenError ||
      error instanceof StoreUnavailableError ||
      (error instanceof Error && ('code' in error || error.cause instanceof Error));
    if (!isOutside) throw error;
    const why = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
    return tellFailure(why, surroundings);
  }
}
