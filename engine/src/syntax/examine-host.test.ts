import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { examineByTables, examineHost, faultOf, isPlain } from './examine-host.ts';

/** The short way for plain names is a matter of time only: what it says is what the tables say. */

/** Labels near the borders: hyphens at every place, A-labels and what only looks like one, digits, 63 and 64 letters. */
const labels = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from('abcxyzABCXYZ0123456789-')), maxLength: 12 }),
  fc.constantFrom(
    '',
    '-',
    'xn--',
    'XN--',
    'xn--bcher-kva',
    'axn--b',
    'x-n--',
    '0x1f',
    '127',
    'com',
    'ab--cd',
  ),
  fc.nat({ max: 70 }).map((length) => 'a'.repeat(length)),
);
const names = fc
  .array(labels, { maxLength: 8 })
  .map((parts) => parts.join('.'))
  .filter((name) => name !== '');
const anyAscii = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 20 });

describe('plain host names', () => {
  test('a name of letters, digits, hyphens and dots reads the same both ways', () => {
    let plain = 0;
    fc.assert(
      fc.property(names, (name) => {
        if (!isPlain(name)) return;
        plain += 1;
        assert.deepEqual(examineHost(name), examineByTables(name));
      }),
      { numRuns: 5_000 },
    );
    assert.ok(plain > 2_000, `${plain} plain names`);
  });

  test('whether the labels are sound at a glance or rule by rule comes to the same', () => {
    let sound = 0;
    fc.assert(
      fc.property(names, (name) => {
        if (!isPlain(name) || name.length > 500) return;
        const examined = examineHost(name);
        if (examined.kind === 'canonical') sound += 1;
        assert.equal(
          examined.kind === 'canonical' ? undefined : examined.fault,
          faultOf(name.toLowerCase()),
          name,
        );
      }),
      { numRuns: 5_000 },
    );
    assert.ok(sound > 200, `${sound} sound names`);
  });

  test('every ASCII character, alone in a label, reads the same both ways', () => {
    for (let code = 0; code < 0x80; code += 1) {
      const character = String.fromCharCode(code);
      for (const name of [`a${character}b.example`, `${character}.example`, `a.b${character}`])
        assert.deepEqual(examineHost(name), examineByTables(name), JSON.stringify(name));
    }
  });

  test('any ASCII text reads the same both ways', () => {
    fc.assert(
      fc.property(anyAscii, (name) => assert.deepEqual(examineHost(name), examineByTables(name))),
      { numRuns: 5_000 },
    );
  });

  test('an A-label is never plain, however it is spelt', () => {
    for (const name of ['xn--bcher-kva.example', 'XN--BCHER-KVA.example', 'a.Xn--b.example'])
      assert.equal(isPlain(name), false);
  });
});
