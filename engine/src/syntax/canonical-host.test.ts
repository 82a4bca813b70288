import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { canonicalHost, examineHost, examineByTables, faultOf, isPlain } from './canonical-host.ts';

const label63 = 'a'.repeat(63);
/** Four labels and three dots: 63 + 63 + 63 + rest + 3. */
const hostOfLength = (length: number) => `${`${label63}.`.repeat(3)}${'b'.repeat(length - 192)}`;

describe('a host name that passes is the name on the wire', () => {
  const passes: [written: string, wire: string][] = [
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['a.b', 'a.b'],
    ['123.example', '123.example'],
    ['c--n.example', 'c--n.example'],
    ['mx--1.example', 'mx--1.example'],
    ['host.x1', 'host.x1'],
    [`${label63}.example`, `${label63}.example`],
    [hostOfLength(253), hostOfLength(253)],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['faß.example', 'xn--fa-hia.example'],
    ['пример.example', 'xn--e1afmkfd.example'],
    ['ΣΊΣΥΦΟΣ.example', canonicalHost('σίσυφοσ.example') ?? ''],
    // Thai SARA AM is the one letter that is spelled out.
    ['น้ำ.example', canonicalHost('น\u0e49\u0e4d\u0e32.example') ?? ''],
    // Zero width non-joiner as Persian needs it (RFC 5892 appendix A.1).
    ['نامه\u200cای.example', 'xn--mgba3gch31f060k.example'],
  ];
  for (const [written, wire] of passes) {
    it(JSON.stringify(written), () => assert.equal(canonicalHost(written), wire));
  }
});

describe('a host name that would be another one on the wire is refused', () => {
  const refused: [written: string, fault: string][] = [
    ['１２７.０.０.１', 'domain_not_canonical'],
    ['ｅｘａｍｐｌｅ.com', 'domain_not_canonical'],
    ['example。com', 'domain_not_canonical'],
    ['example．com', 'domain_not_canonical'],
    ['example｡com', 'domain_not_canonical'],
    ['⒈example.com', 'domain_invalid'],
    ['①.example', 'domain_not_canonical'],
    ['ﬁ.example', 'domain_not_canonical'],
    ['ex\u00adample.com', 'domain_not_canonical'],
    ['ex\u200bample.com', 'domain_not_canonical'],
    ['example.com\ufeff', 'domain_not_canonical'],
    ['\u212aelvin.example', 'domain_not_canonical'],
    ['İstanbul.example', 'domain_not_canonical'],
    ['ex%61mple.com', 'domain_invalid'],
    ['example.com%00', 'domain_invalid'],
    ['xn--fa-hia\u200d.example', 'domain_invalid'],
  ];
  for (const [written, fault] of refused) {
    it(JSON.stringify(written), () => assert.deepEqual(examineHost(written), { kind: 'refused', fault }));
  }
});

describe('a name that a zone may hold and no host has is refused', () => {
  const refused: [written: string, fault: string][] = [
    ['', 'domain_empty'],
    ['.', 'domain_invalid'],
    ['localhost', 'domain_dotless'],
    ['example.com.', 'domain_invalid'],
    ['.example.com', 'domain_invalid'],
    ['a..example', 'domain_invalid'],
    ['a\\000b.example', 'domain_invalid'],
    ['a\0b.example', 'domain_invalid'],
    ['a\x7fb.example', 'domain_invalid'],
    ['a\u0085b.example', 'domain_invalid'],
    ['<script>.example', 'domain_invalid'],
    ['a b.example', 'domain_invalid'],
    ['a\r\nb.example', 'domain_invalid'],
    ['a_b.example', 'domain_invalid'],
    ['_dmarc.example.com', 'domain_invalid'],
    ['*.example', 'domain_invalid'],
    ['-a.example', 'domain_invalid'],
    ['a-.example', 'domain_invalid'],
    ['a.-.example', 'domain_invalid'],
    [`${label63}a.example`, 'domain_too_long'],
    [hostOfLength(254), 'domain_too_long'],
    ['a'.repeat(100_000), 'domain_too_long'],
    [`${'ъ'.repeat(60)}.example`, 'domain_too_long'],
    ['127.0.0.1', 'domain_numeric'],
    ['127.1', 'domain_numeric'],
    ['127.0.0.0x1', 'domain_numeric'],
    ['example.0x', 'domain_numeric'],
    ['[127.0.0.1]', 'domain_invalid'],
    ['::1', 'domain_invalid'],
    ['xn--0.example', 'domain_invalid'],
    ['xn--.example', 'domain_invalid'],
    // Decodes to plain ASCII, so that it is not its own A-label.
    ['xn--abc-.example', 'domain_invalid'],
    ['xn--example.com', 'domain_invalid'],
    // Decodes to a capital letter, which no A-label holds.
    ['xn--bcher-2pa.example', 'domain_invalid'],
    ['€uro.example', 'domain_invalid'],
    ['domain.com©', 'domain_invalid'],
    ['\u0300a.example', 'domain_invalid'],
    ['a\u200db.example', 'domain_invalid'],
    // Right-to-left label that starts with a digit (RFC 5893 section 2, rule 1).
    ['1א.example', 'domain_invalid'],
    ['\u202eexample.com', 'domain_invalid'],
    ['\ud800.example', 'domain_invalid'],
  ];
  for (const [written, fault] of refused) {
    it(JSON.stringify(written.slice(0, 80)), () => {
      assert.deepEqual(examineHost(written), { kind: 'refused', fault });
      assert.equal(canonicalHost(written), undefined);
    });
  }
});

/** The short way for plain names only saves time: it gives the same result as the tables. */

/** Labels near the borders: hyphens at every place, A-labels and lookalikes, digits, 63 and 64 letters. */
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
