import {
  StoreOpenError,
  StoreUnavailableError,
  type AuditReport,
  type BackupManifest,
} from '@mailproof/service';
import type { Surroundings } from '../command.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { counted } from '../present/count.ts';
import { printRows, refuse } from './print-rows.ts';

type Audited = { file: string; done: string; manifest: BackupManifest; report: AuditReport };

/** A backup that was opened: what it is, and whether its ledger balances. */
export async function presentAudited(
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

export function tellBadFile(
  file: string,
  { kind }: { kind: 'no_backup' | 'damaged' },
  surroundings: Surroundings,
): ExitCode {
  if (kind === 'no_backup') return refuse(`${file} is not a backup of Mailproof.`, surroundings);
  surroundings.terminal.tell(`mailproof: ${file} is damaged: its content is not what was backed up.`);
  return exitCodes.found;
}

export function tellFailure(line: string, { terminal }: Surroundings): ExitCode {
  terminal.tell(`mailproof: ${line}`);
  return exitCodes.environment;
}

/** What keeps a database or a disk from serving is told in one line. */
export async function withStoreErrors(
  surroundings: Surroundings,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
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
