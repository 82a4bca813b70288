/**
 * Releases of the past. `node scripts/keep-release.ts` keeps, for each database, one that a release worked on, and what
 * its API said of it. The program itself is made from the release's commit when a test needs it.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { root, type Settings } from '../../support/mailproof.ts';

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
  SQLite: { sql: 'sqlite.sql', answers: 'sqlite.json' },
  PostgreSQL: { sql: 'postgresql.sql', answers: 'postgresql.json' },
} as const;

/**
 * Returns the program of a release, from the sources of its commit. They stay in `.cache/`, and run with the packages
 * that are installed here.
 */
export function buildProgram(release: string): string {
  const commit = release.slice(release.indexOf('+') + 1);
  const folder = join(root, '.cache/releases', release);
  if (!existsSync(folder)) checkOut(commit, folder);
  return join(folder, 'cli/src/main.ts');
}

/** Writes the tree of a commit to a folder, which appears when it is whole. */
function checkOut(commit: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  const archive = join(unfinished, 'archive.tar');
  try {
    execFileSync('git', ['archive', `--output=${archive}`, commit], { cwd: root, stdio: 'pipe' });
  } catch (cause) {
    rmSync(unfinished, { recursive: true });
    const remedy =
      'Fetch the whole history (git fetch --unshallow): tests of upgrades run the releases of the past.';
    throw new Error(`Commit ${commit} is not in this clone. ${remedy}`, { cause });
  }
  execFileSync('tar', ['-xf', archive, '-C', unfinished]);
  rmSync(archive);
  linkPackages(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another test file was first.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

/** Gives a checkout the packages of this one, and workspaces of its own. */
function linkPackages(checkout: string): void {
  const [packages, own] = [join(root, 'node_modules'), join(checkout, 'node_modules')];
  mkdirSync(join(own, '@mailproof'), { recursive: true });
  for (const name of readdirSync(packages))
    if (name !== '@mailproof') symlinkSync(join(packages, name), join(own, name));
  for (const name of readdirSync(join(packages, '@mailproof')))
    if (existsSync(join(checkout, name))) symlinkSync(join(checkout, name), join(own, '@mailproof', name));
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
