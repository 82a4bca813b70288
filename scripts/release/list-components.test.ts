import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashesOf, withHash, type Component } from './list-components.ts';

const root = join(import.meta.dirname, '../..');
const workspaces = ['engine', 'client', 'service', 'cli', 'world'];

function componentOf(name: string, version: string): Component {
  const ref = `${name}@${version}`;
  return { 'bom-ref': ref, type: 'library', name, version, scope: 'required', purl: `pkg:npm/${ref}` };
}

test('every package of a release is listed with the hash that the lockfile has of it', () => {
  const hashes = hashesOf({ root, workspaces, page: 'console' });
  assert.ok(hashes.size > 20);
  const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8');
  for (const [nameAndVersion, content] of hashes) {
    const at = nameAndVersion.lastIndexOf('@');
    const listed = withHash(componentOf(nameAndVersion.slice(0, at), nameAndVersion.slice(at + 1)), hashes);
    assert.deepEqual(listed.hashes, [{ alg: 'SHA-512', content }]);
    assert.ok(lockfile.includes(`sha512-${Buffer.from(content, 'hex').toString('base64')}`), nameAndVersion);
  }
});

test('a package that the lockfile does not know ends the release', () => {
  const hashes = hashesOf({ root, workspaces, page: 'console' });
  assert.throws(() => withHash(componentOf('stowaway', '1.0.0'), hashes), /stowaway@1\.0\.0/);
});
