/**
 * The programs that tests use and npm does not install: PostgreSQL, Chromium, and those of a few test files. Root on
 * Debian gets the missing ones installed. On any other machine tests use the ones that are found, and skip the rest.
 */
import { existsSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findPostgresPrograms } from '@mailproof/world/database';
import { debianParts, ensureDebianPackages, type DebianPackage } from './debian-packages.ts';

export type Environment = Record<string, string | undefined>;

/** `CI=true`: a run that leaves anything out has failed. */
export const isCi = (env: Environment): boolean => ['true', '1'].includes(env['CI'] ?? '');

export function findOnPath(names: readonly string[], env: Environment = process.env): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const chromiumPlaces = [
  '/usr/bin/chromium',
  '/usr/lib/chromium/chromium',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
];
const downloadedChromium = '.cache/ms-playwright/chromium-*/chrome-linux*/chrome';

/** Returns the browser that MAILPROOF_TEST_CHROMIUM names, or else one on the PATH or in a usual place. */
export function findChromium(env: Environment = process.env): string | undefined {
  const named = env['MAILPROOF_TEST_CHROMIUM'] ?? '';
  if (named !== '') {
    if (existsSync(named)) return named;
    throw new Error(
      `MAILPROOF_TEST_CHROMIUM is ${named}, which does not exist. Name the program of a Chromium.`,
    );
  }
  const downloaded = () =>
    globSync(downloadedChromium, { cwd: env['HOME'] ?? homedir() })
      .sort()
      .reverse();
  return (
    findOnPath(chromiumNames, env) ??
    chromiumPlaces.find(existsSync) ??
    downloaded().map((file) => join(env['HOME'] ?? homedir(), file))[0]
  );
}

/** A server that runs already, or the folder of the programs that start one. */
type FoundPostgres = { kind: 'server'; url: string } | { kind: 'programs'; folder: string };

/** Returns the server or the programs that MAILPROOF_TEST_POSTGRES names, or else programs in a usual place. */
export function findPostgres(env: Environment = process.env): FoundPostgres | undefined {
  const url = env['MAILPROOF_TEST_POSTGRES_URL'] ?? '';
  if (url !== '') return { kind: 'server', url };
  const named = env['MAILPROOF_TEST_POSTGRES'] ?? '';
  if (/^postgres(?:ql)?:\/\//.test(named)) return { kind: 'server', url: named };
  if (named !== '') {
    const folders = [named, join(named, 'bin'), dirname(named)];
    const folder = folders.find((one) => existsSync(join(one, 'initdb')));
    if (folder !== undefined) return { kind: 'programs', folder };
    throw new Error(
      `MAILPROOF_TEST_POSTGRES is ${named}, where there is no initdb. Name the folder of PostgreSQL's programs, or a URL.`,
    );
  }
  const folder = findPostgresPrograms();
  return folder === undefined ? undefined : { kind: 'programs', folder };
}

/** A program of the machine that many test files need. */
type Need = { name: string; debianPackage: DebianPackage; variable: string; isThere: () => boolean };

const needs: Need[] = [
  {
    name: 'PostgreSQL',
    debianPackage: { name: 'postgresql', proof: '/usr/bin/pg_createcluster' },
    variable: 'MAILPROOF_TEST_POSTGRES',
    isThere: () => findPostgres() !== undefined,
  },
  {
    name: 'Chromium',
    debianPackage: { name: 'chromium', proof: '/usr/bin/chromium' },
    variable: 'MAILPROOF_TEST_CHROMIUM',
    isThere: () => findChromium() !== undefined,
  },
];

/** Installs the programs that are missing, if this machine lets us. Returns those that are still missing. */
export async function ensurePrograms(parts = { needs, debian: debianParts() }): Promise<Need[]> {
  const missing = parts.needs.filter(({ isThere }) => !isThere());
  if (missing.length === 0 || !parts.debian.mayInstall()) return missing;
  await ensureDebianPackages(
    missing.map(({ debianPackage }) => debianPackage),
    parts.debian,
  );
  return [];
}

/** Says how to get programs that are missing. */
export function remedyFor(missing: readonly Need[]): string {
  const names = missing.map(({ debianPackage }) => debianPackage.name).join(' ');
  const variables = missing.map(({ variable }) => variable).join(' and ');
  return `Install what is missing (on Debian, as root: apt-get install ${names}), or name it with ${variables}.`;
}

/**
 * Installs the programs of a test file, if this machine lets us. Returns why its tests cannot run, or `false`: a value
 * for `{ skip }`, so that the run names the test.
 */
export async function whyNotHere(packages: DebianPackage[], parts = debianParts()): Promise<string | false> {
  const missing = packages.filter(({ proof }) => !parts.exists(proof));
  if (missing.length === 0) return false;
  if (!parts.mayInstall()) return notFound(missing.map(({ name }) => name).join(' and '));
  await ensureDebianPackages(missing, parts);
  return false;
}

/** The reason of a skip. The end of a run groups tests by it. */
export const notFound = (name: string): string => `${name} not found`;
