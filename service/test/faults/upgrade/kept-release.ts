/**
 * Past releases, as `node scripts/keep-release.ts` kept them: the program, and for each kind of database one that
 * it worked on, with the answers of its API.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Settings } from '../../support/mailproof.ts';

export const releasesFolder = join(import.meta.dirname, 'releases');

/** Their names: the version, and its commit. */
export const keptReleases = readdirSync(releasesFolder).sort();

export type KeptAnswers = {
  /** When the database was dumped, in milliseconds. */
  takenAt: number;
  accountId: string;
  liveKey: string;
  testKey: string;
  deletedKey: string;
  /** A single verification that was answered under an `Idempotency-Key`. */
  repeated: { idempotencyKey: string; email: string };
  /** Both wait for `later.test`, after one address that has its answer. */
  unfinished: { task: string; list: string };
  /** The last answers to GET, by path. */
  asked: { path: string; answer: unknown }[];
};

export const keptFiles = {
  program: 'program.tgz',
  SQLite: { sql: 'sqlite.sql', answers: 'sqlite.json' },
  PostgreSQL: { sql: 'postgresql.sql', answers: 'postgresql.json' },
} as const;

/** Unpacks the program of a release. */
export function unpackProgram(release: string): { program: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-release-'));
  execFileSync('tar', ['-xzf', join(releasesFolder, release, keptFiles.program), '-C', folder]);
  return {
    program: join(folder, 'mailproof.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * Loads the database of a release into that of the settings, as if it had been dumped a moment ago. Every time in
 * it is moved by the time since; otherwise everything would have expired.
 */
export async function loadRelease(release: string, env: Settings): Promise<KeptAnswers> {
  const url = env['MAILPROOF_DATABASE_URL'];
  const files = keptFiles[url === undefined ? 'SQLite' : 'PostgreSQL'];
  const read = (name: string) => readFileSync(join(releasesFolder, release, name), 'utf8');
  const { takenAt } = JSON.parse(read(files.answers)) as KeptAnswers;
  const goneByMs = Date.now() - takenAt;
  const sql = moveTimes(read(files.sql), goneByMs);
  if (url === undefined) fillSqlite(join(env['MAILPROOF_DATA_DIR'] ?? '', 'mailproof.db'), sql);
  else await fillPostgres(url, sql);
  return JSON.parse(moveTimes(read(files.answers), goneByMs)) as KeptAnswers;
}

/** Moves all times: milliseconds of this century (no other number in these files has thirteen digits), or ISO 8601. */
function moveTimes(text: string, byMs: number): string {
  return text
    .replaceAll(/(?<![\w.])1[789]\d{11}(?![\w.])/g, (ms) => String(Number(ms) + byMs))
    .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, (iso) => new Date(Date.parse(iso) + byMs).toISOString());
}

function fillSqlite(file: string, sql: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec(`pragma page_size = 8192; begin; ${sql} commit;`);
  } finally {
    database.close();
  }
}

async function fillPostgres(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
