import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import {
  files,
  findCircles,
  importsOf,
  isTest,
  packages,
  production,
  productionOf,
  read,
  root,
  sources,
} from './scripts/source-tree.ts';

/** The rules that no compiler holds: import arrows, circles, names, words, sizes, naked TODOs, dead links. */

function expectNone(found: readonly string[], rule: string): void {
  assert.deepEqual(found, [], rule);
}

/** What each workspace may import of ours. The world is the other side of the wire and knows nobody. */
const mayImport: Record<string, string[]> = {
  engine: [],
  client: [],
  world: [],
  console: ['client'],
  service: ['engine', 'client'],
  cli: ['engine', 'client', 'service', 'world'],
  bench: ['engine', 'client', 'service', 'cli', 'world'],
  scripts: ['engine', 'client', 'service', 'cli', 'world'],
};

test('imports between workspaces follow the arrows', () => {
  const wrong = production.flatMap(importsOf).filter(({ from, to }) => {
    const [home = '', target = ''] = [from.split('/')[0], to.split('/')[0]];
    return from.includes('/') && home !== target && mayImport[home]?.includes(target) !== true;
  });
  expectNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    'arrows: cli → service → engine, client',
  );
});

test('production never imports from tests', () => {
  const wrong = packages
    .flatMap(productionOf)
    .flatMap(importsOf)
    .filter(({ to }) => /^[^/]+\/test(?:\/|$)/.test(to) || isTest(to));
  expectNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    'src imports test',
  );
});

test('no files import each other in a circle, not even for types', () => {
  const between = sources.flatMap(importsOf).filter(({ to }) => /\.tsx?$/.test(to));
  expectNone(findCircles(between), 'file circles');
});

for (const home of packages) {
  const inside = productionOf(home)
    .flatMap(importsOf)
    .filter(({ to }) => to.startsWith(`${home}/src/`));

  test(`folders of ${home} import each other in one direction`, () => {
    /** A folder directly under `src` with all it holds; a file that stands there counts by itself. */
    const topOf = (file: string): string => file.split('/').slice(0, 3).join('/');
    const isFile = (place: string): boolean => /\.tsx?$/.test(place);
    const top = findCircles(inside.map(({ from, to }) => ({ from: topOf(from), to: topOf(to) })));
    expectNone(
      top.filter((circle) => !circle.split(' → ').every(isFile)),
      'folder circles',
    );
    // The entry of a feature puts its folder together.
    const nested = inside
      .filter(({ from }) => !from.endsWith('/feature.ts'))
      .map(({ from, to }) => ({ from: dirname(from), to: dirname(to) }));
    const rootFolder = `${home}/src`;
    expectNone(
      findCircles(nested.filter(({ from, to }) => from !== rootFolder && to !== rootFolder)),
      'folder circles',
    );
  });

  test(`an exported name is defined once in ${home}, and shadows no global`, () => {
    const definitions = productionOf(home).flatMap((file) =>
      exportedNames(file).map((name) => ({ file, name })),
    );
    const byName = Map.groupBy(definitions, ({ name }) => name);
    expectNone(
      [...byName].flatMap(([name, all]) =>
        all.length > 1 ? [`${home} ${name} in ${all.map(({ file }) => file).join(' and ')}`] : [],
      ),
      'defined twice',
    );
    expectNone(
      definitions.filter(({ name }) => globals.has(name)).map(({ file, name }) => `${file} ${name}`),
      'shadows a global',
    );
  });
}

function exportedNames(file: string): string[] {
  const declaration =
    /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|type|interface) (?<name>\w+)/gm;
  return [...read(file).matchAll(declaration)].map(({ groups }) => groups?.['name'] ?? '');
}

/** The globals of Node, and the types and classes that TypeScript knows of the language and of browsers. */
const globals = new Set([...Object.getOwnPropertyNames(globalThis), ...libraryNames()]);

function libraryNames(): string[] {
  const folder = join(root, 'node_modules/typescript/lib');
  const declaration = /^(?:declare (?:var|function|class)|interface|type) (?<name>[A-Z]\w+)/gm;
  return readdirSync(folder)
    .filter((file) => /^lib\.(?:es|dom)[\w.]*\.d\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(declaration)])
    .map(({ groups }) => groups?.['name'] ?? '');
}

/** The service's core from the ground up: a folder imports only from those before it. */
const coreLayers = ['process', 'store', 'config', 'ledger', 'keys', 'verify', 'upkeep', 'http'];

const inService = productionOf('service').flatMap(importsOf);

test('the core of the service imports no feature, and neither imports the composition', () => {
  const wrong = inService.filter(
    ({ from, to }) =>
      (from.includes('/src/core/') && /\/src\/(?:features|start|main)\b/.test(to)) ||
      (from.includes('/src/features/') && /\/src\/(?:start|main)\b/.test(to)),
  );
  expectNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    'arrows: main → start → features → core',
  );
});

test('folders of the core import each other in one direction', () => {
  const layerOf = (file: string): number =>
    file.startsWith('service/src/core/') ? coreLayers.indexOf(file.split('/')[3] ?? '') : -1;
  const wrong = inService.filter(({ from, to }) => layerOf(from) !== -1 && layerOf(to) > layerOf(from));
  expectNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    `layers: ${coreLayers.join(' < ')}`,
  );
});

test('the judge imports types and its table of scores only: it knows no clock, no network and no memory', () => {
  const valuesIn = (file: string) => [...read(file).matchAll(/^import (?!type)[^;]*'(?<from>[^']*)';/gm)];
  const allowed = new Map([
    ['engine/src/verdict.ts', ['./score.ts']],
    ['engine/src/score.ts', ['./lists/large-providers.ts', './replies/providers.ts']],
    ['engine/src/lists/large-providers.ts', []],
    ['engine/src/replies/providers.ts', []],
  ]);
  for (const [file, sources] of allowed) {
    const others = valuesIn(file).filter(
      ({ groups }) => !sources.some((source) => source === groups?.['from']),
    );
    expectNone(others.map(String), `${file} stays pure`);
  }
});

test('only config.ts reads the environment', () => {
  const readers = production.filter(
    (file) => /^(?:engine|service|client|world|cli)\//.test(file) && /process\.env\b/.test(read(file)),
  );
  expectNone(
    readers.filter((file) => file !== 'service/src/start/config.ts' && file !== 'cli/src/main.ts'),
    'process.env',
  );
});

test('folders and files are named after nouns of the field', () => {
  const banned = /(?:^|[/.-])(?:utils?|helpers?|common|shared|managers?|misc|impl)(?:[/.-]|$)/i;
  expectNone(
    files.filter((file) => banned.test(file)),
    'banned names',
  );
});

/** Private words that were given up, with the plain ones in their place (see docs/glossary.md). */
const abandonedWords = new Map([
  ['desk', 'what it does'],
  ['door', 'what it does'],
  ['fate', 'ending'],
  ['hurried', 'with a request deadline'],
  ['lane', 'serial key'],
  ['notebook', 'context'],
  ['setback', 'failure'],
  ['shelf', 'memory namespace'],
  ['shelves', 'memory namespaces'],
  ['stranger', 'random probe'],
  ['suffer', 'fail'],
  ['switchboard', 'probe scheduler'],
  ['talk', 'SMTP session'],
  ['till', 'reserve and settle'],
  ['turnbook', 'lease store'],
  ['turnledger', 'lease state'],
  ['fleet', 'fixture'],
  ['house', 'fixture'],
  ['scene', 'fixture'],
]);

test('no identifier and no file name uses an abandoned word', () => {
  const abandoned = (name: string): string[] =>
    [...wordsOf(name), wordsOf(name).join('')]
      .map((word) => word.replace(/s$/, ''))
      .flatMap((word) => (abandonedWords.has(word) ? [`${word} (${abandonedWords.get(word) ?? ''})`] : []));
  const found = sources.flatMap((file) => {
    const names = [...identifiersOf(file), ...file.split(/[/.-]/)];
    return [...new Set(names.flatMap(abandoned))].map((word) => `${file} ${word}`);
  });
  expectNone(found, 'abandoned words');
});

test('every word of the glossary is used, is in order, and is none that was given up', () => {
  const entries = [...read('docs/glossary.md').matchAll(/^\| (?<word>[a-z][^|]*)\|/gim)]
    .map(({ groups }) => (groups?.['word'] ?? '').trim())
    .filter((word) => word !== 'word');
  assert.ok(entries.length > 30, 'the glossary is a table');
  const used = new Set([...production, ...sources.filter(isTest)].flatMap((file) => spokenWords(file)));
  const unused = entries.filter((entry) =>
    entry
      .toLowerCase()
      .split(/[ ,-]+/)
      .some((word) => !used.has(word)),
  );
  expectNone(
    unused.map((entry) => `docs/glossary.md ${entry}`),
    'words that no code uses',
  );
  const sorted = [...entries].sort((a, b) => a.localeCompare(b, 'en'));
  assert.deepEqual(entries, sorted, 'in alphabetical order');
  expectNone(
    entries.filter((entry) => abandonedWords.has(entry)).map((entry) => `docs/glossary.md ${entry}`),
    'abandoned words',
  );
});

/** `hostLease` and `HOST_LEASE` are two words: host, lease. */
function wordsOf(name: string): string[] {
  return name
    .split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z\d]+/)
    .map((word) => word.toLowerCase());
}

/** Comments, strings, templates and patterns on a line of their own hold words of others; what remains is code. */
function identifiersOf(file: string): string[] {
  const forPeople =
    /\/\*[\s\S]*?\*\/|\/\/.*|^ *\/.*\/[a-z]*[;,]?$|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gm;
  return [
    ...new Set(
      read(file)
        .replace(forPeople, ' ')
        .match(/[a-z_$][\w$]*/gi),
    ),
  ];
}

function spokenWords(file: string): string[] {
  return [...new Set(read(file).match(/[a-z\d]+/gi))].flatMap(wordsOf);
}

test('no line of the documentation is longer than 120 columns, tables aside', () => {
  const pages = files.filter((file) => /^(?:docs\/.*|README)\.md$/.test(file));
  const long = pages.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) =>
        line.length > 120 && !/^\s*\|/.test(line) && /^.{0,119}\s\S/.test(line.trim())
          ? [`${file}:${index + 1}`]
          : [],
      ),
  );
  expectNone(long, 'long lines');
});

test('no merge was left half done', () => {
  const marked = files.filter((file) => /^(?:<{7} |>{7} |\s*(?:> ){7}|\s*\\?={7}$)/m.test(read(file)));
  expectNone(marked, 'marks of a merge');
});

test('no file is longer than 400 lines, data aside', () => {
  const isData = (file: string): boolean => /\/(?:data|rules)\//.test(file);
  const long = sources.filter((file) => !isData(file) && read(file).split('\n').length > 401);
  expectNone(long, 'split it');
});

test('a TODO names an issue', () => {
  const naked = /\b(?:TODO|FIXME|XXX)\b(?!\(#\d+\))/;
  const found = [...sources, ...files.filter((file) => file.endsWith('.md'))].filter(
    (file) => file !== 'tidy.test.ts' && naked.test(read(file)),
  );
  expectNone(found, 'write TODO(#12), or do it');
});

test('every relative link in the documentation leads somewhere', () => {
  const dead = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => (match[1] ?? '').replace(/#.*$/, ''))
        .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
        .filter((link) => !existsSync(join(root, dirname(file), link)))
        .map((link) => `${file} → ${link}`),
    );
  expectNone(dead, 'dead links');
});

test('nothing speaks of the machine it was made on', () => {
  const traces = /\/work\/(?:main|shared)|\/root\/|registry\.npmjs|\.\.\/shared\/(?!corpora)/;
  const found = files.filter(
    (file) => file !== 'tidy.test.ts' && /\.(?:ts|js|mjs|sh|md|json)$/.test(file) && traces.test(read(file)),
  );
  expectNone(found, relative(root, root));
});
