import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { DebianPackageParts } from './debian-packages.ts';
import {
  ensurePrograms,
  findChromium,
  findOnPath,
  findPostgres,
  remedyFor,
  whyNotHere,
} from './test-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-programs-'));
after(() => rmSync(folder, { recursive: true }));

function file(...path: string[]): string {
  const made = join(folder, ...path);
  mkdirSync(join(made, '..'), { recursive: true });
  writeFileSync(made, '');
  return made;
}

describe('Chromium for tests', () => {
  test('is the one that MAILPROOF_TEST_CHROMIUM names, before any other', () => {
    const named = file('named', 'browser');
    const onPath = file('path', 'chromium');
    const env = { PATH: join(onPath, '..'), HOME: folder };
    assert.equal(findChromium({ ...env, MAILPROOF_TEST_CHROMIUM: named }), named);
    assert.equal(findChromium(env), onPath);
  });

  test('a name that leads nowhere is an error, and no other browser is taken', () => {
    assert.throws(
      () => findChromium({ MAILPROOF_TEST_CHROMIUM: join(folder, 'nothing') }),
      /MAILPROOF_TEST_CHROMIUM is .*nothing, which does not exist/,
    );
  });

  test('the PATH is searched by every usual name', () => {
    const chrome = file('other', 'google-chrome');
    assert.equal(
      findOnPath(['chromium', 'google-chrome'], { PATH: `/nowhere:${join(chrome, '..')}` }),
      chrome,
    );
    assert.equal(findOnPath(['chromium'], { PATH: join(chrome, '..') }), undefined);
  });
});

describe('PostgreSQL for tests', () => {
  test('MAILPROOF_TEST_POSTGRES names a folder of programs, one above it, a program, or a server', () => {
    const programs = join(file('postgres', 'bin', 'initdb'), '..');
    for (const named of [programs, join(programs, '..'), join(programs, 'postgres')])
      assert.deepEqual(findPostgres({ MAILPROOF_TEST_POSTGRES: named }), {
        kind: 'programs',
        folder: programs,
      });
    const url = 'postgres://tester@db.example/tests';
    assert.deepEqual(findPostgres({ MAILPROOF_TEST_POSTGRES: url }), { kind: 'server', url });
  });

  test('a name without programs is an error, and no other server is taken', () => {
    assert.throws(
      () => findPostgres({ MAILPROOF_TEST_POSTGRES: folder }),
      /MAILPROOF_TEST_POSTGRES is .*, where there is no initdb/,
    );
  });
});

describe('missing programs', () => {
  const need = (name: string, isThere: boolean) => ({
    name,
    debianPackage: { name: name.toLowerCase(), proof: `/usr/bin/${name}` },
    variable: `MAILPROOF_TEST_${name.toUpperCase()}`,
    isThere: () => isThere,
  });
  const needs = [need('Here', true), need('Gone', false)];

  function machine(mayInstall: boolean) {
    const installed = new Set<string>();
    const told: string[] = [];
    const debian: DebianPackageParts = {
      exists: (path) => installed.has(path),
      mayInstall: () => mayInstall,
      run: (_program, args) => {
        for (const path of args.filter((arg) => arg.startsWith('/usr/bin/'))) installed.add(path);
        return Promise.resolve(0);
      },
      tell: (line) => void told.push(line),
    };
    return { debian, installed, told };
  }

  test('root on Debian gets them installed, which is said first', async () => {
    const { debian, installed, told } = machine(true);
    assert.deepEqual(await ensurePrograms({ needs, debian }), []);
    assert.deepEqual([...installed], ['/usr/bin/Gone']);
    assert.match(told[0] ?? '', /Installing Debian packages .*--no-install forbids it.*: gone/);
  });

  test('elsewhere they are returned with what to do, and nothing is installed', async () => {
    const { debian, installed } = machine(false);
    const missing = await ensurePrograms({ needs, debian });
    assert.deepEqual(
      missing.map(({ name }) => name),
      ['Gone'],
    );
    assert.equal(installed.size, 0);
    assert.match(remedyFor(missing), /apt-get install gone\), or name it with MAILPROOF_TEST_GONE/);
  });

  test('a test file is told which of its programs it lacks', async () => {
    const wanted = [{ name: 'php-cli', proof: '/usr/bin/php' }];
    assert.equal(await whyNotHere(wanted, machine(false).debian), 'php-cli not found');
    assert.equal(await whyNotHere(wanted, machine(true).debian), false);
  });
});
