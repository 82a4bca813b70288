import { readFileSync } from 'node:fs';
import { canonicalHost } from '@mailproof/engine';
import { domainFamily, isKnownSuffix, isPublicSuffix } from '@mailproof/engine/domain-family';
import type { PackageFiles } from './fetch-package.ts';
import { disposableSources, freeSources, type Evidence, type SourcePackage } from './packages.ts';

/**
 * Merges the lists of throw-away domains into one. In doubt a domain is left out: a real domain called disposable
 * would cost a customer a living person.
 */
export type NamedList = { name: string; evidence: Evidence; names: string[] };

export type Guards = {
  /** Real providers and privacy relays, each with all names below it. */
  providers: ReadonlySet<string>;
  relays: ReadonlySet<string>;
  /** The names in lists of free providers. They need not be free, but they cast doubt on a mere claim. */
  calledFree: ReadonlySet<string>;
};

/** Why a name is not on the merged list, in the order in which the rules are asked. */
export const dropRules = {
  not_canonical: 'no host name in canonical form (letters, digits, hyphens, two labels at least)',
  reserved: 'reserved for examples and tests, or under no suffix of the Public Suffix List',
  public_suffix: 'a public suffix, ICANN or private: strangers share it',
  privacy_relay: 'a privacy relay, or below one',
  real_provider: 'a real provider, or below one',
  one_weak_source: 'neither proved by one source nor claimed by one and seconded by another',
  called_free: 'not proved, and a free provider to a list of those',
  covered: 'below another name on the list, which covers it',
} as const;

type DropRule = keyof typeof dropRules;

export type MergedDisposable = {
  names: string[];
  distinct: number;
  dropped: Record<DropRule, number>;
  /** How many names each combination of sources agreed on, those that a canonical form was found for. */
  agreement: Map<string, string[]>;
};

export function mergeDisposable(lists: NamedList[], guards: Guards): MergedDisposable {
  const namedBy = collect(lists);
  const dropped = noneDropped();
  const agreement = new Map<string, string[]>();
  const kept = new Set<string>();
  for (const [host, sources] of namedBy.hosts) {
    listUnder(agreement, sources.map((source) => source.name).join(' + ')).push(host);
    const rule = ruleAgainst(host, sources, guards);
    if (rule === undefined) kept.add(host);
    else dropped[rule] += 1;
  }
  dropped.not_canonical = namedBy.notCanonical;
  const names = [...kept]
    .filter(
      (host) =>
        !domainFamily(host)
          .slice(1)
          .some((parent) => kept.has(parent)),
    )
    .sort();
  dropped.covered = kept.size - names.length;
  return { names, distinct: namedBy.hosts.size + namedBy.notCanonical, dropped, agreement };
}

function collect(lists: NamedList[]): { hosts: Map<string, NamedList[]>; notCanonical: number } {
  const hosts = new Map<string, NamedList[]>();
  const notCanonical = new Set<string>();
  for (const list of lists) {
    const canonical = list.names.map((name) => {
      const host = canonicalHost(name.trim().toLowerCase());
      if (host === undefined) notCanonical.add(name);
      return host;
    });
    for (const host of new Set(canonical)) {
      if (host !== undefined) listUnder(hosts, host).push(list);
    }
  }
  return { hosts, notCanonical: notCanonical.size };
}

function listUnder<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function ruleAgainst(host: string, sources: NamedList[], guards: Guards): DropRule | undefined {
  const family = domainFamily(host);
  const isGiven = (evidence: Evidence): boolean => sources.some((source) => source.evidence === evidence);
  if (!isKnownSuffix(host) || family.some((name) => RESERVED.has(name))) return 'reserved';
  if (isPublicSuffix(host)) return 'public_suffix';
  if (family.some((name) => guards.relays.has(name))) return 'privacy_relay';
  if (family.some((name) => guards.providers.has(name))) return 'real_provider';
  if (isGiven('proves')) return undefined;
  if (!isGiven('claims') || !isGiven('seconds')) return 'one_weak_source';
  return guards.calledFree.has(host) ? 'called_free' : undefined;
}

/** RFC 2606 section 3. Its top-level names and those of RFC 6761 are under no public suffix anyway. */
const RESERVED = new Set(['example.com', 'example.net', 'example.org']);

function noneDropped(): Record<DropRule, number> {
  return {
    not_canonical: 0,
    reserved: 0,
    public_suffix: 0,
    privacy_relay: 0,
    real_provider: 0,
    one_weak_source: 0,
    called_free: 0,
    covered: 0,
  };
}

/** The list of throw-away domains from what the packages say, with our own lists of real providers as guards. */
export function mergeSources(read: readonly ReadSource[]): MergedDisposable {
  const namesOf = (wanted: string) => read.find(({ source }) => source.name === wanted)?.names ?? [];
  return mergeDisposable(
    disposableSources.map(({ name, evidence }) => ({ name, evidence, names: namesOf(name) })),
    {
      providers: new Set(readByHand('providers.txt')),
      relays: new Set(readByHand('privacy-relays.txt')),
      calledFree: new Set(freeSources.flatMap(({ name }) => namesOf(name))),
    },
  );
}

/** A package that the lists are built from, read: the names in it, and the notice that goes with them. */
export type ReadSource = { source: SourcePackage; version: string; names: string[]; licence: string };

/** Throws an error that names the package if its files or their form have changed. */
export function readSource(source: SourcePackage, version: string, files: PackageFiles): ReadSource {
  const text = (path: string): string => {
    const file = files.get(path);
    if (file === undefined) throw new Error(`${source.name}@${version}: no ${path}`);
    return file.toString('utf8');
  };
  const names = source.names(text(source.dataFile));
  if (names.length === 0) throw new Error(`${source.name}@${version}: no names in ${source.dataFile}`);
  return { source, version, names, licence: text(source.licenceFile) };
}

/** Names taken from a package carry that package's notice, word for word. */
export function noticeFor(read: readonly ReadSource[]): string {
  const parts = read.map(
    ({ source, version, licence }) =>
      `## ${source.name} ${version} (${source.licence})\n\n${licence.trim().replaceAll(/^/gm, '    ')}\n`,
  );
  return `# Notices for the data in this folder\n\nThe lists were built from these packages; see \`docs/lists.md\`.\n\n${parts.join('\n')}`;
}

/** The names in a list of ours: separated by white space, lines that begin with `#` skipped, in byte order. */
export function readByHand(file: string): string[] {
  const text = readFileSync(new URL(`by-hand/${file}`, import.meta.url), 'utf8');
  const names = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(/\s+/))
    .filter((name) => name !== '');
  return inByteOrder(names);
}

/** Not the order of UTF-16 units, which differs beyond the basic plane. */
export function inByteOrder(names: Iterable<string>): string[] {
  return [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
