import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ensureDebianPackages, type DebianPackageParts } from './debian-packages.ts';

const packages = [
  { name: 'there', proof: '/usr/bin/there' },
  { name: 'absent', proof: '/usr/bin/absent' },
];

/** A machine as data: its files, our rights, and the files that apt would add. */
function machine(has: string[], { mayInstall = true, brings = [] as string[], status = 0 } = {}) {
  const files = new Set(has);
  const ran: string[][] = [];
  const told: string[] = [];
  const parts: DebianPackageParts = {
    exists: (path) => files.has(path),
    mayInstall: () => mayInstall,
    run: (program, args) => {
      ran.push([program, ...args]);
      for (const file of brings) files.add(file);
      return Promise.resolve(status);
    },
    tell: (line) => void told.push(line),
  };
  return { parts, ran, told };
}

describe('Debian packages', () => {
  test('nothing is run or told when everything is there', async () => {
    const { parts, ran, told } = machine(['/usr/bin/there', '/usr/bin/absent'], { mayInstall: false });
    await ensureDebianPackages(packages, parts);
    assert.deepEqual([ran, told], [[], []]);
  });

  test('missing packages are installed, which one line says first', async () => {
    const { parts, ran, told } = machine(['/usr/bin/there'], { brings: ['/usr/bin/absent'] });
    await ensureDebianPackages(packages, parts);
    assert.deepEqual(told, [
      'mailproof: Installing Debian packages (only once; --no-install forbids it): absent …',
    ]);
    assert.equal(ran.length, 1);
    assert.equal(ran[0]![0], 'flock');
    assert.deepEqual(ran[0]!.slice(-2), ['absent', '/usr/bin/absent']);
    assert.match(ran[0]!.join(' '), /apt-get update[\s\S]*apt-get install .*--no-install-recommends/);
  });

  test('where nothing may be installed, the error says what to install', async () => {
    const { parts, ran } = machine(['/usr/bin/there'], { mayInstall: false });
    await assert.rejects(ensureDebianPackages(packages, parts), {
      message: 'Missing Debian packages: absent. Install them as root: apt-get install absent',
    });
    assert.deepEqual(ran, []);
  });

  test('an installation that failed, or brought something else, is an error that names the package', async () => {
    const failed = machine(['/usr/bin/there'], { status: 100 });
    await assert.rejects(ensureDebianPackages(packages, failed.parts), /install absent .*status 100/);
    const other = machine(['/usr/bin/there'], { brings: ['/usr/bin/other'] });
    await assert.rejects(ensureDebianPackages(packages, other.parts), /absent \(\/usr\/bin\/absent\)/);
  });

  test('on this machine a file that is there is proof enough', async () => {
    assert.ok(existsSync(process.execPath));
    await ensureDebianPackages([{ name: 'no-such-package', proof: process.execPath }]);
  });
});
