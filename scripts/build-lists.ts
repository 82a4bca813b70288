import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { registrableDomain } from '../engine/src/lists/domain-family.ts';
import { describeLists, type BuildReport } from './lists/describe-lists.ts';
import { fetchPackage } from '../cli/src/domain-lists/fetch-package.ts';
import {
  inByteOrder,
  mergeSources,
  noticeFor,
  readByHand,
  readSource,
  type ReadSource,
} from '../cli/src/domain-lists/merge-disposable.ts';
import { disposableSources, freeSources } from '../cli/src/domain-lists/packages.ts';

/**
 * Builds the engine's lists from pinned packages and our own files: `node scripts/build-lists.ts`.
 * With `--check` it writes nothing and fails if a committed file is not what would be written.
 */
/** Every file that the lists consist of, by where it goes. */
async function buildLists(): Promise<Map<URL, string>> {
  const parts = { env: process.env, signal: new AbortController().signal };
  const opened: ReadSource[] = [];
  for (const source of [...disposableSources, ...freeSources])
    opened.push(readSource(source, source.version, await fetchPackage(source, parts)));

  const providers = new Set(readByHand('providers.txt'));
  const relays = new Set(readByHand('privacy-relays.txt'));
  const freeLists = opened.filter(({ source }) => freeSources.includes(source));
  const disposable = mergeSources(opened);
  const data = {
    'disposable-domains.txt': disposable.names,
    'disposable-mail-hosts.txt': readByHand('disposable-mail-hosts.txt'),
    'free-providers.txt': inByteOrder([...providers].filter((name) => !isCovered(name, providers))),
    'parked-mail-hosts.txt': readByHand('parked-mail-hosts.txt'),
    'privacy-relays.txt': inByteOrder(relays),
    'role-names.txt': readByHand('role-names.txt'),
    'roles-not-for-bulk.txt': readByHand('roles-not-for-bulk.txt'),
  };

  const free = data['free-providers.txt'];
  const isOn = ({ names }: ReadSource, name: string): boolean => names.includes(name);
  const report: BuildReport = {
    disposable,
    named: new Map(opened.map(({ source, names }) => [source.name, new Set(names).size])),
    confirmed: new Map(
      freeLists.map((list) => [list.source.name, free.filter((name) => isOn(list, name)).length]),
    ),
    confirmedByAny: free.filter((name) => freeLists.some((list) => isOn(list, name))).length,
    wellKnown: new Set(namesOf(opened, 'email-providers')),
    counts: {
      disposable: disposable.names.length,
      free: free.length,
      roles: data['role-names.txt'].length,
      rolesNotForBulk: data['roles-not-for-bulk.txt'].length,
      mailHosts: data['disposable-mail-hosts.txt'].length,
      parkedHosts: data['parked-mail-hosts.txt'].length,
      relays: relays.size,
    },
  };

  const files = Object.entries(data).map(
    ([file, names]) => [dataFile(file), `${names.join('\n')}\n`] as const,
  );
  return new Map<URL, string>([
    ...files,
    [dataFile('NOTICE.md'), noticeFor(opened.filter((one) => !freeLists.includes(one)))],
    [DOCUMENT, await formatted(describeLists(report), DOCUMENT)],
  ]);
}

const DOCUMENT = new URL('../docs/lists.md', import.meta.url);

function dataFile(name: string): URL {
  return new URL(`../engine/src/lists/data/${name}`, import.meta.url);
}

function namesOf(opened: ReadSource[], name: string): string[] {
  return opened.find(({ source }) => source.name === name)?.names ?? [];
}

function isCovered(name: string, names: ReadonlySet<string>): boolean {
  const registrable = registrableDomain(name);
  return registrable !== undefined && registrable !== name && names.has(registrable);
}

async function formatted(markdown: string, path: URL): Promise<string> {
  return format(markdown, { ...(await resolveConfig(path)), parser: 'markdown' });
}

if (import.meta.main) {
  const files = await buildLists();
  const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  const check = process.argv.includes('--check');
  for (const [path, text] of check ? [] : stale) writeFileSync(path, text);
  for (const [path] of stale)
    process.stdout.write(`${check ? 'differs' : 'written'}: ${fileURLToPath(path)}\n`);
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}
