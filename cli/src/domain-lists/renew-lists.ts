import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findListFile } from '@mailproof/engine';
import { fetchLatest, type FetchParts } from './fetch-package.ts';
import { mergeSources, noticeFor, readSource, type ReadSource } from './merge-disposable.ts';
import { disposableSources, freeSources } from './packages.ts';

/**
 * Renews the list of throw-away domains from the newest packages, without a release of ours. Only that list comes from
 * packages; the others are written by hand and come with Mailproof.
 *
 * The folder is written whole beside the old one and then takes its place; the old one is kept as `previous`.
 */
const listName = 'disposable-domains.txt';
const sourcesName = 'sources.json';

type ListSource = { name: string; version: string; integrity: string };

export type Renewal = {
  packages: ListSource[];
  before: number;
  after: number;
  added: string[];
  removed: string[];
};

export type RenewAnswer =
  | ({ kind: 'renewed' } & Renewal)
  | ({ kind: 'unchanged' } & Renewal)
  /** More than half of the names would go: a package has most likely changed its form. */
  | ({ kind: 'shrinks' } & Renewal);

type RenewParts = FetchParts & {
  /** The folder in which the engine looks for renewed lists. */
  folder: string;
  /** Takes a list that has lost more than half of its names. */
  force: boolean;
  now: Date;
};

export async function renewLists({ folder, force, now, ...parts }: RenewParts): Promise<RenewAnswer> {
  const fetched = await fetchSources(parts);
  const read = fetched.map(({ read: one }) => one);
  const names = mergeSources(read).names;
  const inForce = readNames(findListFile(listName, folder).path);
  const renewal = {
    packages: fetched.map(({ read: { source, version }, integrity }) => ({
      name: source.name,
      version,
      integrity,
    })),
    before: inForce.size,
    after: names.length,
    added: names.filter((name) => !inForce.has(name)),
    removed: [...inForce.difference(new Set(names))],
  };
  if (names.length < inForce.size / 2 && !force) return { kind: 'shrinks', ...renewal };
  if (renewal.added.length + renewal.removed.length === 0) return { kind: 'unchanged', ...renewal };
  const notices = read.filter(({ source }) => !freeSources.includes(source));
  replaceFolder(folder, {
    [listName]: `${names.join('\n')}\n`,
    'NOTICE.md': noticeFor(notices),
    [sourcesName]: `${JSON.stringify({ renewed_at: now.toISOString(), packages: renewal.packages }, null, 2)}\n`,
  });
  return { kind: 'renewed', ...renewal };
}

async function fetchSources(parts: FetchParts): Promise<{ read: ReadSource; integrity: string }[]> {
  const sources = [...disposableSources, ...freeSources];
  const latest = await fetchLatest(
    sources.map(({ name }) => name),
    parts,
  );
  return sources.map((source) => {
    const found = latest.get(source.name);
    if (found === undefined) throw new Error(`${source.name}: npm pack left no archive`);
    return { read: readSource(source, found.version, found.files), integrity: found.integrity };
  });
}

function readNames(path: string): Set<string> {
  return new Set(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((name) => name !== ''),
  );
}

/** A reader finds the old folder or the new one, never half of it: each step is one rename. */
function replaceFolder(folder: string, files: Readonly<Record<string, string>>): void {
  const [fresh, old] = [`${folder}.new`, `${folder}.old`];
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(fresh, name), text);
  if (existsSync(folder)) {
    cpSync(folder, join(fresh, 'previous'), {
      recursive: true,
      filter: (source) => !source.endsWith(`${folder}/previous`),
    });
    renameSync(folder, old);
  }
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}

/** When the lists of a folder were renewed and from what; undefined where they were not, or it cannot be read. */
export function readRenewal(folder: string): { renewed_at: string; packages: ListSource[] } | undefined {
  const path = join(folder, sourcesName);
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, 'utf8')) as { renewed_at: string; packages: ListSource[] };
}
