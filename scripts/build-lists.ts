import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { registrableDomain } from '../engine/src/lists/domain-family.ts';
import { describeLists, type BuildReport } from './lists/describe-lists.ts';
import { fetchPackage } from './lists/fetch-package.ts';
import { mergeDisposable } from './lists/merge-disposable.ts';
import { disposableSources, freeSources, type SourcePackage } from './lists/packages.ts';
import { inByteOrder, readByHand } from './lists/read-by-hand.ts';

/**
 * Builds the engine's lists from pinned packages and our own files: `node scripts/build-lists.ts`.
 * With `--check` it writes nothing and fails if a committed file is not what would be written.
 */
type Opened = { source: SourcePackage; names: string[]; licence: string };

/** Every file that the lists consist of, by where it goes. */
async function buildLists(): Promise<Map<URL, string>> {
  const opened: Opened[] = [];
  for (const source of [...disposableSources, ...freeSources]) opened.push(await open(source));

  const providers = new Set(readByHand('providers.txt'));
  const relays = new Set(readByHand('privacy-relays.txt'));
  const freeLists = opened.filter(({ source }) => freeSources.includes(source));
  const disposable = mergeDisposable(
    disposableSources.map(({ name, evidence }) => ({ name, evidence, names: namesOf(opened, name) })),
    { providers, relays, calledFree: new Set(freeLists.flatMap(({ names }) => names)) },
  );
  const data = {
    'disposable-domains.txt': disposable.names,
    'disposable-mail-hosts.txt': readByHand('disposable-mail-hosts.txt'),
    'free-providers.txt': inByteOrder([...providers].filter((name) => !isCovered(name, providers))),
    'parked-mail-hosts.txt': readByHand('parked-mail-hosts.txt'),
    'role-names.txt': readByHand('role-names.txt'),
  };

  const free = data['free-providers.txt'];
  const isOn = ({ names }: Opened, name: string): boolean => names.includes(name);
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
    [dataFile('NOTICE.md'), notice(opened.filter((one) => !freeLists.includes(one)))],
    [DOCUMENT, await formatted(describeLists(report), DOCUMENT)],
  ]);
}

const DOCUMENT = new URL('../docs/lists.md', import.meta.url);

function dataFile(name: string): URL {
  return new URL(`../engine/src/lists/data/${name}`, import.meta.url);
}

async function open(source: SourcePackage): Promise<Opened> {
  const files = await fetchPackage(source);
  const text = (path: string): string => {
    const file = files.get(path);
    if (file === undefined) throw new Error(`${source.name}@${source.version}: no ${path}`);
    return file.toString('utf8');
  };
  return { source, names: source.names(text(source.dataFile)), licence: text(source.licenceFile) };
}

function namesOf(opened: Opened[], name: string): string[] {
  return opened.find(({ source }) => source.name === name)?.names ?? [];
}

function isCovered(name: string, names: ReadonlySet<string>): boolean {
  const registrable = registrableDomain(name);
  return registrable !== undefined && registrable !== name && names.has(registrable);
}

/** Names taken from a package carry that package's notice, word for word. The lists of free providers give none. */
function notice(opened: Opened[]): string {
  const parts = opened.map(
    ({ source, licence }) =>
      `## ${source.name} ${source.version} (${source.licence})\n\n${licence.trim().replaceAll(/^/gm, '    ')}\n`,
  );
  return `# Notices for the data in this folder\n\nThe lists were built from these packages; see \`docs/lists.md\`.\n\n${parts.join('\n')}`;
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
