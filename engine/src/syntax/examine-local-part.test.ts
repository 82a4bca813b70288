import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { examineByCharacter, examineLocalPart } from './examine-local-part.ts';

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 70 });
const atext = fc.string({ unit: fc.constantFrom(...Array.from('ab9._+"!~')), maxLength: 70 });
const any = fc.string({ unit: 'grapheme', maxLength: 70 });

test('the short way and the long way judge every local part alike', () => {
  const long = `${'a'.repeat(32)}.${'b'.repeat(32)}`;
  for (const localPart of [
    'ann',
    'a.b.c',
    'a..b',
    '.a',
    'a.',
    long,
    long.slice(1),
    `${long}c`,
    '"a b"',
    'ü',
    'a\n',
  ])
    assert.equal(examineLocalPart(localPart), examineByCharacter(localPart), JSON.stringify(localPart));
  fc.assert(
    fc.property(fc.oneof(atext, ascii, any), (localPart) => {
      fc.pre(localPart !== '');
      assert.equal(examineLocalPart(localPart), examineByCharacter(localPart));
    }),
    { numRuns: 2_000 },
  );
});

test('a long Dot-string is judged in time that grows with its length', () => {
  assert.equal(examineLocalPart('a.'.repeat(50_000)), 'local_part_too_long');
});
