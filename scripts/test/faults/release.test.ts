import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '@mailproof/client';
import { startWorld } from '@mailproof/world';
import { startProgram, type Settings } from '../../../service/test/support/mailproof.ts';
import type { Sbom } from '../../release/list-components.ts';
import { runNpm } from '../../release/run-npm.ts';
import { writeRelease } from '../../release/write-release.ts';
import { guideBlock } from '../support/operations-guide.ts';

/** Packed, installed in an empty directory elsewhere, and used there: what an operator has who never saw the sources. */
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'mailproof-release-'));
const released = join(folder, 'release');
const home = join(folder, 'home');
const installed = join(home, 'node_modules/mailproof');
const program = join(home, 'node_modules/.bin/mailproof');
/** Node 24 comes first on the path, as on a machine that has it. */
const env: Settings = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const mostBytes = 60_000_000;

before(async () => {
  await writeRelease(released);
  mkdirSync(home);
  // Neither a registry nor a cache of one: all that is needed comes in the tarball.
  const cache = `--cache=${join(folder, 'cache')}`;
  const tarball = join(released, `mailproof-${version}.tgz`);
  runNpm(['install', '--offline', '--no-audit', '--no-fund', cache, tarball], home);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the commands of the guide for operators install it', async () => {
  const prefix = join(folder, 'global');
  const settings = {
    npm_config_prefix: prefix,
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_cache: join(folder, 'cache'),
  };
  const PATH = [join(prefix, 'bin'), env['PATH']].join(delimiter);
  // The demonstration goes on until it is stopped; it is started below.
  const code = guideBlock('install.sh').replaceAll('VERSION', version).replace('mailproof demo\n', '');
  const { stdout } = await run('sh', ['-eu', '-c', code], {
    cwd: released,
    env: { HOME: folder, ...settings, PATH },
  });
  assert.ok(stdout.endsWith(`${version}\n`), stdout);
});

describe('what npm run release makes', () => {
  test('the checksums are those of every file', async () => {
    const { stdout } = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: released });
    const checked = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/: OK$/, '')]));
    const files = globSync('*', { cwd: released }).filter((file) => file !== 'SHA256SUMS');
    assert.deepEqual(checked.sort(), files.sort());
  });

  test('the SBOM names every package that is installed, and those in the page, each with its hash', () => {
    const sbom = JSON.parse(readFileSync(join(released, `mailproof-${version}.cdx.json`), 'utf8')) as Sbom;
    for (const { name, hashes = [] } of sbom.components)
      assert.match(hashes[0]?.content ?? '', /^[\da-f]{128}$/, name);
    const named = sbom.components.map((component) => `${component.name}@${component.version}`);
    const manifests = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: installed });
    const inside = manifests.map((file) => {
      const manifest = JSON.parse(readFileSync(join(installed, file), 'utf8')) as Sbom['components'][0];
      return `${manifest.name}@${manifest.version}`;
    });
    assert.ok(inside.length > 20);
    const inPage = named.filter((name) => !inside.includes(name)).map((name) => name.replace(/@[^@]*$/, ''));
    assert.deepEqual(inPage.sort(), ['@preact/signals', '@preact/signals-core', 'preact']);
    assert.deepEqual(
      inside.filter((name) => !named.includes(name)),
      [],
    );
  });
});

test('the client of the release is of its version, and works as a module and as CommonJS', async () => {
  const place = join(folder, 'client');
  mkdirSync(place);
  const tarball = join(released, `mailproof-client-${version}.tgz`);
  runNpm(
    ['install', '--offline', '--no-audit', '--no-fund', `--cache=${join(folder, 'cache')}`, tarball],
    place,
  );
  const print = 'process.stdout.write(typeof createClient)';
  const asModule = [
    '--input-type=module',
    '-e',
    `import { createClient } from '@mailproof/client'; ${print}`,
  ];
  const asCommonJs = [
    '--input-type=commonjs',
    '-e',
    `const { createClient } = require('@mailproof/client'); ${print}`,
  ];
  for (const args of [asModule, asCommonJs])
    assert.equal((await run(process.execPath, args, { cwd: place })).stdout, 'function');
  const manifest = readFileSync(join(place, 'node_modules/@mailproof/client/package.json'), 'utf8');
  assert.equal((JSON.parse(manifest) as { version: string }).version, version);
});

describe('installed from the tarball alone', () => {
  test('it takes less than 60 MB, and brings no tools of development', () => {
    const files = globSync('**', { cwd: installed }).map((file) => statSync(join(installed, file)));
    const bytes = files.reduce((sum, { blocks }) => sum + blocks * 512, 0);
    assert.ok(bytes > 5_000_000 && bytes < mostBytes, `${bytes} bytes on disk`);
    for (const tool of ['typescript', 'eslint', 'esbuild', 'playwright-core', 'node'])
      assert.ok(!existsSync(join(installed, 'node_modules', tool)), tool);
  });

  test('every compiled file has its source map, with the source in it', () => {
    const compiled = globSync('{cli,client,engine,service,world}/src/**/*.js', { cwd: installed }).filter(
      (file) => file !== 'service/src/features/forms/form.js',
    );
    assert.ok(compiled.length > 300);
    for (const file of compiled) {
      const map = JSON.parse(readFileSync(join(installed, `${file}.map`), 'utf8')) as Record<
        string,
        string | string[]
      >;
      // What holds types alone compiles to nothing.
      if (map['mappings'] === '') continue;
      assert.match(map['sources']?.[0] ?? '', /\.ts$/, file);
      assert.ok((map['sourcesContent']?.[0] ?? '').length > 0, file);
    }
  });

  test('--version is that of the release', async () => {
    assert.equal((await run(program, ['--version'], { env, cwd: home })).stdout, `${version}\n`);
  });

  test('a Node that is too old is told in one line', async () => {
    const old = join(folder, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'node'), '#!/bin/sh\necho 20\n');
    chmodSync(join(old, 'node'), 0o755);
    const path = { PATH: `${old}${delimiter}${env['PATH'] ?? ''}` };
    const failed = await startProgram(program, ['--version'], { env: path, cwd: home }).ended;
    assert.equal(failed.code, 3);
    assert.equal(
      failed.stderr,
      'mailproof: This is Node 20. Install Node 24 or later (https://nodejs.org).\n',
    );
  });

  test('mailproof demo checks an address, shows the console, and leaves nothing behind', async () => {
    const demo = startProgram(program, ['demo', '--json', '--port', '0'], { env, cwd: home });
    const [line] = await demo.wrote(/^\{.*\}\n/);
    const { url, live_key: apiKey, sample_list: list } = JSON.parse(line) as Record<string, string>;
    const client = createClient({ baseUrl: url ?? '', apiKey: apiKey ?? '' });
    assert.equal((await client.verify('ada@northwind.example')).status, 'safe');
    const page = await fetch(url ?? '', { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<div id="app">/);
    assert.equal((await fetch(`${url ?? ''}/docs`)).status, 200);
    assert.equal((await fetch(`${url ?? ''}/form.js`)).status, 200);
    assert.equal(await demo.stop(), 0);
    assert.ok(!existsSync(dirname(list ?? '')));
  });

  test('mailproof serve keeps its data beside the caller, verifies, and drains when told to end', async () => {
    const world = await startWorld({
      zones: { 'plain.test': { mx: [[10, 'mx.plain.test']] } },
      hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists' } } },
    });
    const settings = { ...env, ...world.environment, MAILPROOF_PORT: '0' };
    const service = startProgram(program, ['serve'], { env: settings, cwd: home });
    const [, url = ''] = await service.wrote(/"url":"(http:[^"]*)".*"listening"/);
    const [apiKey = ''] = /mp_live_\w+/.exec(service.stdout()) ?? [];
    assert.equal((await createClient({ baseUrl: url, apiKey }).verify('alive@plain.test')).status, 'safe');
    assert.equal(await service.stop(), 0);
    await world.stop();
    assert.ok(existsSync(join(home, 'data')));
    assert.ok(!existsSync(join(installed, 'data')));
  });
});
