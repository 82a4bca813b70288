import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';

/** The house rules that no compiler holds: import arrows, names, sizes, naked TODOs, dead links. */

const root = import.meta.dirname;
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const sources = files.filter((file) => /\.tsx?$/.test(file));
const production = sources.filter((file) => /\/src\//.test(file) && !/\.test\.ts$/.test(file));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

type Import = { from: string; to: string };

/** Every import of ours as repository paths; `@mailproof/x` reads as `x/`. Type imports count: an arrow is an arrow. */
function importsOf(file: string): Import[] {
  const specifiers = [...read(file).matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.flatMap((specifier): Import[] => {
    if (specifier.startsWith('.')) return [{ from: file, to: normalize(join(dirname(file), specifier)) }];
    if (specifier.startsWith('@mailproof/')) return [{ from: file, to: `${specifier.slice(11)}/` }];
    return [];
  });
}

function expectNone(found: string[], rule: string): void {
  assert.deepEqual(found, [], rule);
}

/** What each workspace may import of ours. The world is the other side of the wire and knows nobody. */
const mayImport: Record<string, string[]> = {
  engine: [],
  client: [],
  world: [],
  console: ['client'],
  service: ['engine', 'client'],
  cli: ['engine', 'client', 'service'],
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

/** The service's rooms from the ground up: a room imports only from rooms before it, or its own. */
const serviceFloors = [
  'log',
  'db',
  'audit-log',
  'statistics',
  'credits',
  'keys',
  'sessions',
  'idempotency',
  'sandbox',
  'verifications',
  'tasks',
  'lists',
  'accounts',
  'operator',
  'engine-state',
  'upkeep',
  'worker',
  'http',
  'main',
];

/** Where parts are put together: these may import whom they need. */
const compositionRooms = ['index', 'main', 'start', 'engine-settings'];

test('inside the service nobody imports http, worker, main or config but main', () => {
  const inService = production.filter((file) => /^service\/src\//.test(file)).flatMap(importsOf);
  const room = (path: string): string => (path.split('/')[2] ?? '').replace(/\.ts$/, '');
  const wrong = inService.filter(({ from, to }) => {
    const [home, target] = [room(from), room(to)];
    if (compositionRooms.includes(home) || home === target || !to.startsWith('service/')) return false;
    if (['http', 'worker', 'main', 'config'].includes(target)) return true;
    return serviceFloors.indexOf(target) > serviceFloors.indexOf(home);
  });
  expectNone(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    `floors: ${serviceFloors.join(' < ')}`,
  );
});

test('the judge imports types only: it knows no clock, no network and no memory', () => {
  const values = [...read('engine/src/verdict.ts').matchAll(/^import (?!type)[^;]*;/gm)].map(String);
  expectNone(values, 'engine/src/verdict.ts stays pure');
});

test('only config.ts reads the environment', () => {
  const readers = production.filter(
    (file) => /^(?:engine|service|client|world|cli)\//.test(file) && /process\.env\b/.test(read(file)),
  );
  expectNone(
    readers.filter((file) => file !== 'service/src/config.ts' && file !== 'cli/src/main.ts'),
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
