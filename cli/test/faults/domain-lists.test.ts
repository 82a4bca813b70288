import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createLists, parseAddress } from '@mailproof/engine';
import { disposableSources, freeSources } from '../../src/domain-lists/packages.ts';
import { runHere } from '../support/run-here.ts';

/** A registry on loopback that has the packages which the lists come from, each with the names it is given. */
const folder = mkdtempSync(join(tmpdir(), 'mailproof-domain-lists-'));
let server: Server;
let registry = '';
let packed = new Map<string, Buffer>();

before(async () => {
  server = createServer((request, response) => {
    const [, name = '', archive] = (request.url ?? '').split('/');
    const bytes = packed.get(name);
    if (bytes === undefined) response.writeHead(404).end('{"error":"not found"}');
    else if (archive === undefined) response.end(JSON.stringify(describePackage(name, bytes)));
    else response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function describePackage(name: string, archive: Buffer) {
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const version = { name, version: '9.9.9', dist: { tarball: `${registry}${name}/archive.tgz`, integrity } };
  return { name, 'dist-tags': { latest: '9.9.9' }, versions: { '9.9.9': version } };
}

/** Packs every source with these names, in the form that it has. */
function publish(names: readonly string[]): void {
  const byName: Record<string, string> = {
    fakefilter: JSON.stringify({
      domains: Object.fromEntries(names.map((name) => [name, { hosts: { [name]: {} } }])),
    }),
    mailchecker: `const all = new Set([${names.map((name) => JSON.stringify(name)).join(',')}])`,
    'burner-email-providers': names.join('\n'),
    freemail: 'example.com\n',
  };
  packed = new Map(
    [...disposableSources, ...freeSources].map(({ name, dataFile, licenceFile }) => [
      name,
      gzipSync(
        tar({
          'package/package.json': JSON.stringify({ name, version: '9.9.9' }),
          [licenceFile]: `Licence of ${name}`,
          [dataFile]: byName[name] ?? JSON.stringify(names),
        }),
      ),
    ]),
  );
}

function tar(files: Record<string, string>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write('000644 \0', 100);
    header.write(text.length.toString(8).padStart(11, '0'), 124);
    header.write('        ', 148);
    header.write('0', 156);
    header.write('ustar\u000000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1_024)]);
}

const builtIn = readFileSync(
  new URL('../../../engine/src/lists/data/disposable-domains.txt', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n');

async function call(dataDir: string, ...args: string[]) {
  return await runHere(['domain-lists', ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      MAILPROOF_DATA_DIR: dataDir,
      npm_config_registry: registry,
      npm_config_cache: mkdtempSync(join(folder, 'cache-')),
      npm_config_fetch_retries: '0',
    },
  });
}

const isDisposable = (dataDir: string, host: string): boolean => {
  const lists = createLists({
    files: {},
    renewedIn: join(dataDir, 'domain-lists'),
    onProblem: (message) => assert.fail(message),
  });
  const parsed = parseAddress(`ann@${host}`);
  assert.equal(parsed.kind, 'valid');
  return lists.find(parsed.address).disposable;
};

describe('domain-lists update', () => {
  test('renews the list from the packages, tells what changes, keeps the one before, and the engine prefers it', async () => {
    const dataDir = join(folder, 'data');
    const [gone = '', ...kept] = builtIn;
    publish([...kept, 'brand-new-throwaway.com']);
    const first = await call(dataDir, 'update', '--json');
    assert.equal(first.code, 0, first.stderr);
    const figures = JSON.parse(first.stdout) as Record<string, unknown>;
    assert.deepEqual(
      [figures['outcome'], figures['before'], figures['after'], figures['added'], figures['removed']],
      ['renewed', builtIn.length, builtIn.length, 1, 1],
    );
    assert.match(first.stdout, /"name":"fakefilter","version":"9\.9\.9","integrity":"sha512-/);
    assert.deepEqual(
      [isDisposable(dataDir, 'brand-new-throwaway.com'), isDisposable(dataDir, gone)],
      [true, false],
    );
    assert.match(
      readFileSync(join(dataDir, 'domain-lists/NOTICE.md'), 'utf8'),
      /## fakefilter 9\.9\.9 \(BSD-3-Clause\)\n\n {4}Licence of fakefilter/,
    );

    publish(builtIn);
    const second = await call(dataDir, 'update');
    assert.equal(second.code, 0, second.stderr);
    assert.match(
      second.stdout,
      /1 added, 1 removed\n {2}added +\S+\n {2}removed +brand-new-throwaway\.com\n/,
    );
    const previous = join(dataDir, 'domain-lists/previous/disposable-domains.txt');
    assert.match(readFileSync(previous, 'utf8'), /^brand-new-throwaway\.com$/m);
    assert.ok(!existsSync(join(dataDir, 'domain-lists/previous/previous')));

    const shown = await call(dataDir, 'show', '--json');
    const rows = shown.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      rows.map(({ list, renewed }) => [list, renewed]),
      [
        ['disposable-domains', true],
        ['disposable-mail-hosts', false],
        ['parked-mail-hosts', false],
        ['free-providers', false],
        ['privacy-relays', false],
        ['role-names', false],
        ['roles-not-for-bulk', false],
      ],
    );
    assert.equal(rows[0]?.['entries'], builtIn.length);
  });

  test('a list that loses most of its names is not taken without --force', async () => {
    const dataDir = join(folder, 'shrinks');
    publish(['brand-new-throwaway.com']);
    const { code, stderr } = await call(dataDir, 'update');
    assert.equal(code, 1);
    assert.match(stderr, /the lists stay as they are: more than half of the names would go.*--force/s);
    assert.ok(!existsSync(join(dataDir, 'domain-lists')));
    assert.equal((await call(dataDir, 'update', '--force')).code, 0);
    assert.equal(isDisposable(dataDir, 'brand-new-throwaway.com'), true);
  });

  test('a registry without the packages, or a package of another form, is told, and nothing is changed', async () => {
    const dataDir = join(folder, 'refused');
    packed = new Map();
    const missing = await call(dataDir, 'update');
    assert.equal(missing.code, 3);
    assert.match(missing.stderr, /the lists stay as they are: .*404/);
    publish(builtIn);
    packed.set(
      'fakefilter',
      gzipSync(tar({ 'package/package.json': '{"name":"fakefilter","version":"9.9.9"}' })),
    );
    const changed = await call(dataDir, 'update');
    assert.equal(changed.code, 3);
    assert.match(changed.stderr, /the lists stay as they are: fakefilter@9\.9\.9: no package\/json\//);
    assert.ok(!existsSync(join(dataDir, 'domain-lists')));
  });

  test('a renewed list that was put out of order by hand stops the start, with the line', () => {
    const dataDir = join(folder, 'disorder');
    mkdirSync(join(dataDir, 'domain-lists'), { recursive: true });
    writeFileSync(join(dataDir, 'domain-lists/disposable-domains.txt'), 'b.example\na.example\n');
    assert.throws(
      () => isDisposable(dataDir, 'a.example'),
      /disposable-domains\.txt, line 2: .*domain-lists update/,
    );
  });
});
