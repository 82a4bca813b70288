import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { readNameSet, type NameSet } from './name-set.ts';

const folder = mkdtempSync(join(tmpdir(), 'name-set-'));
after(() => rmSync(folder, { recursive: true }));

function setOf(names: string[], shortBytes: number): NameSet {
  const path = join(folder, 'names.txt');
  writeFileSync(
    path,
    [...names]
      .sort()
      .map((name) => `${name}\n`)
      .join(''),
  );
  return readNameSet(path, shortBytes);
}

for (const [kind, shortBytes] of [
  ['long', -1],
  ['short', Infinity],
] as const)
  describe(`a ${kind} list of names`, () => {
    test('a name is found exactly when its line is in the file', () => {
      const name = fc.stringMatching(/^[a-c.-]{1,6}$/);
      fc.assert(
        fc.property(
          fc.uniqueArray(name, { maxLength: 40 }),
          fc.array(name, { maxLength: 40 }),
          (listed, others) => {
            const set = setOf(listed, shortBytes);
            for (const one of listed) assert.equal(set.has(one), true, one);
            for (const one of others) assert.equal(set.has(one), listed.includes(one), one);
          },
        ),
        { numRuns: 300 },
      );
    });

    test('the beginning of a name, its end and more than it are not the name', () => {
      const set = setOf(['a.example', 'long.example', 'z.example'], shortBytes);
      for (const other of ['', 'long', 'long.exampl', 'ong.example', 'long.example.test', 'example', '\n']) {
        assert.equal(set.has(other), false, other);
      }
    });

    test('an empty file holds nothing', () => {
      assert.equal(setOf([], shortBytes).has('a.example'), false);
    });
  });
