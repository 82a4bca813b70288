import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canonicalHost, type CanonicalHost } from '@mailproof/engine';
import { defineCommand, exitCodes, type CommandGroup, type ExitCode, type Surroundings } from '../command.ts';
import { loadConfig } from '../config.ts';
import { printRows, refuse } from '../store/with-store.ts';

/**
 * The domains whose owners do not want to be asked: a file, one a line (`MAILPROOF_OPT_OUT_FILE`). A running service
 * looks at it again within a second. Comments and whatever else stands there are left as they are.
 */
const json = { type: 'flag', meaning: 'print {domain}, one per line' } as const;

const list = defineCommand({
  name: 'opt-outs list',
  takes: '[--json]',
  summary: 'list the domains whose mail servers are never asked',
  options: { json },
  examples: ['mailproof opt-outs', 'mailproof opt-outs list --json'],
  words: { required: [], most: 0 },
  run: async ({ options, ...surroundings }) => {
    const file = fileOf(surroundings);
    if (file === undefined) return exitCodes.environment;
    const domains = linesOf(file).flatMap((line) => domainIn(line) ?? []);
    if (domains.length === 0) surroundings.terminal.tell('No domain has opted out');
    return await print(domains, { options, surroundings });
  },
});

const add = defineCommand({
  name: 'opt-outs add',
  takes: 'DOMAIN … [--json]',
  summary: 'never ask the mail servers of a domain again',
  options: { json },
  notes: [
    'Subdomains are included, and so is every domain whose mail goes to a server under DOMAIN. Their addresses are unknown, free of charge, with the reason receiver_opted_out. A running service applies it within a second; if several machines serve the API, add it on each of them.',
  ],
  examples: ['mailproof opt-outs add example.com', 'mailproof opt-outs add mx.example.net'],
  words: { required: ['DOMAIN'], most: 100 },
  run: async ({ options, positionals, ...surroundings }) => {
    const named = readDomains(positionals);
    if (typeof named === 'string') return refuse(named, surroundings);
    const file = fileOf(surroundings);
    if (file === undefined) return exitCodes.environment;
    const lines = linesOf(file);
    const known = new Set(lines.map(domainIn));
    const added = named.filter((domain) => !known.has(domain));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const isOpenLine = lines.length > 0 && lines.at(-1) !== '';
    if (added.length > 0) appendFileSync(file, `${isOpenLine ? '\n' : ''}${added.join('\n')}\n`);
    return await print(named, { options, surroundings });
  },
});

const remove = defineCommand({
  name: 'opt-outs remove',
  takes: 'DOMAIN … [--json]',
  summary: 'remove an opt-out when the owner of the domain asks for it',
  options: { json },
  examples: ['mailproof opt-outs remove example.com'],
  words: { required: ['DOMAIN'], most: 100 },
  run: async ({ options, positionals, ...surroundings }) => {
    const named = readDomains(positionals);
    if (typeof named === 'string') return refuse(named, surroundings);
    const file = fileOf(surroundings);
    if (file === undefined) return exitCodes.environment;
    const lines = linesOf(file);
    const missing = named.find((domain) => !lines.some((line) => domainIn(line) === domain));
    if (missing !== undefined)
      return refuse(
        `${missing} has not opted out. To see all opt-outs, run mailproof opt-outs.`,
        surroundings,
      );
    const left = lines.filter((line) => !named.some((domain) => domainIn(line) === domain));
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, left.join('\n'));
    renameSync(draft, file);
    return await print(named, { options, surroundings });
  },
});

export const optOutsCommand: CommandGroup = {
  kind: 'group',
  name: 'opt-outs',
  summary: 'list, add and remove domains whose mail servers are never asked',
  byDefault: 'list',
  actions: { list, add, remove },
};

function fileOf(surroundings: Surroundings): string | undefined {
  return loadConfig(surroundings)?.optOutFile;
}

/** A file that is not there has no lines. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function domainIn(line: string): CanonicalHost | undefined {
  return line.trim().startsWith('#') ? undefined : canonicalHost(line.trim());
}

/** All of them, or what is wrong with the first that is no domain. */
function readDomains(words: readonly string[]): CanonicalHost[] | string {
  const domains = words.map((word) => canonicalHost(word));
  const bad = domains.indexOf(undefined);
  if (bad !== -1) return `${JSON.stringify(words[bad])} is not a domain such as example.com`;
  return domains.filter((domain) => domain !== undefined);
}

function print(
  domains: readonly string[],
  { options, surroundings }: { options: { json: boolean }; surroundings: Surroundings },
): Promise<ExitCode> {
  return printRows(
    domains.map((domain) => ({ row: { domain }, words: domain })),
    options,
    surroundings,
  );
}
