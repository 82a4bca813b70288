import { readFileSync } from 'node:fs';
import { findListFile, listFileNames } from '@mailproof/engine';
import { renewedListsIn } from '@mailproof/service/engine-settings';
import { defineCommand, exitCodes, type CommandGroup, type ExitCode, type Surroundings } from '../command.ts';
import { readRenewal, renewLists, type RenewAnswer } from './renew-lists.ts';
import { loadConfig } from '../config.ts';
import { printable } from '../present/text.ts';

const samplesShown = 8;

const update = defineCommand({
  name: 'domain-lists update',
  takes: '[--force] [--json]',
  summary: 'renew the list of disposable domains from the packages it comes from',
  options: {
    force: { type: 'flag', meaning: 'take a list that has lost more than half of its names' },
    json: {
      type: 'flag',
      meaning: '{outcome, before, after, added, removed, packages: [{name, version, integrity}]}',
    },
  },
  notes: [
    'Takes the newest version of each package from the registry that npm is set to, runs none of their code, merges them by the rules of docs/lists.md and puts the list into the data directory. The list before it is kept beside it, in previous/. A service uses the new list from its next start.',
  ],
  examples: ['mailproof domain-lists update'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    const { terminal, env, signal } = surroundings;
    terminal.progress('fetching the packages …');
    try {
      const folder = renewedListsIn(config);
      const answer = await renewLists({ folder, force: options.force, now: new Date(), env, signal });
      terminal.progress('');
      return await tellRenewal(answer, { json: options.json, folder }, surroundings);
    } catch (error) {
      signal.throwIfAborted();
      terminal.progress('');
      terminal.tell(`mailproof: the lists stay as they are: ${whyOf(error)}`);
      return exitCodes.environment;
    }
  },
});

async function tellRenewal(
  answer: RenewAnswer,
  { json, folder }: { json: boolean; folder: string },
  { terminal }: Surroundings,
): Promise<ExitCode> {
  const { kind: outcome, before, after, added, removed, packages } = answer;
  const figures = { outcome, before, after, added: added.length, removed: removed.length, packages };
  await terminal.write(
    json ? `${JSON.stringify(figures)}\n` : `${renewalLines(answer, folder).join('\n')}\n`,
  );
  if (outcome !== 'shrinks') return exitCodes.ok;
  terminal.tell(
    'mailproof: the lists stay as they are: more than half of the names would go, so a package has most likely changed its form. Look at what would go, and take it with --force.',
  );
  return exitCodes.found;
}

function renewalLines(
  { kind, before, after, added, removed, packages }: RenewAnswer,
  folder: string,
): string[] {
  const changes = [
    `${before} names before, ${after} after: ${added.length} added, ${removed.length} removed`,
    ...(added.length === 0 ? [] : [`  added    ${sample(added)}`]),
    ...(removed.length === 0 ? [] : [`  removed  ${sample(removed)}`]),
    ...packages.map(({ name, version }) => `  from     ${name} ${version}`),
  ];
  switch (kind) {
    case 'renewed':
      return [...changes, `Written to ${folder}; a service uses it from its next start.`];
    case 'unchanged':
      return [...changes, 'Nothing changes.'];
    case 'shrinks':
      return changes;
  }
}

function sample(names: readonly string[]): string {
  const rest = names.length - samplesShown;
  const shown = names.slice(0, samplesShown).map(printable).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** npm says what went wrong in many lines, of which the first that is no warning tells most. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT' && error.message.includes('npm'))
    return 'npm is not there: install it, or put it on the PATH';
  const said = 'stderr' in error ? String(error.stderr) : '';
  const line = said.split('\n').find((text) => /^npm (?:error|ERR!) (?!code)/.test(text));
  return printable(line ?? error.message);
}

const show = defineCommand({
  name: 'domain-lists show',
  takes: '[--json]',
  summary: 'show the lists in force: how many names, from where, renewed when',
  options: {
    json: { type: 'flag', meaning: 'one object a line: {list, entries, renewed, path, renewed_at?}' },
  },
  examples: ['mailproof domain-lists show'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const config = loadConfig(surroundings);
    if (config === undefined) return exitCodes.environment;
    const folder = renewedListsIn(config);
    const renewal = readRenewal(folder);
    const rows = listFileNames.map((name) => {
      const { path, renewed } = findListFile(name, folder);
      const entries = readFileSync(path, 'utf8').split('\n').length - 1;
      const at = renewed && renewal !== undefined ? { renewed_at: renewal.renewed_at } : {};
      return { list: name.replace('.txt', ''), entries, renewed, path, ...at };
    });
    const lines = options.json
      ? rows.map((row) => JSON.stringify(row))
      : rows.map(
          ({ list, entries, renewed, path, renewed_at: at = '' }) =>
            `${list.padEnd(22)} ${String(entries).padStart(7)}  ${renewed ? `renewed ${at} in ${path}` : 'built in'}`,
        );
    await surroundings.terminal.write(`${lines.join('\n')}\n`);
    return exitCodes.ok;
  },
});

export const domainListsCommand: CommandGroup = {
  kind: 'group',
  name: 'domain-lists',
  summary: 'show and renew the lists of domains',
  actions: { update, show },
};
