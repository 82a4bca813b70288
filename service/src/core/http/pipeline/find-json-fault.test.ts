import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault, maxDepth } from './find-json-fault.ts';
import { cpuMs } from '../../../../../engine/test/support/machine.ts';

test('plain objects pass', () => {
  for (const text of [
    '{}',
    '{"email":"a"}',
    '{"a":{"b":1},"c":{"b":2}}',
    '{"a":"b","b":"a"}',
    '[{"a":1},{"a":2}]',
    '"a"',
    '',
  ]) {
    assert.equal(findJsonFault(text), undefined, text);
  }
});

test('a name given twice is found, however it is written', () => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"a" :1, "a"\n\t: 2}',
    '[{"x":{"a":1,"b":2,"a":3}}]',
    '{"":1,"":2}',
  ]) {
    assert.equal(findJsonFault(text), 'duplicate_name', text);
  }
});

test('names that reach into prototypes are found, however they are written', () => {
  for (const name of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'c\\u006fnstructor']) {
    assert.equal(findJsonFault(`{"x":{"${name}":1}}`), 'forbidden_name', name);
    assert.equal(findJsonFault(`{"x":"${name}"}`), undefined, 'as a value it is only a text');
  }
});

test('nesting ends at eight', () => {
  assert.equal(findJsonFault('['.repeat(maxDepth) + ']'.repeat(maxDepth)), undefined);
  assert.equal(findJsonFault('['.repeat(maxDepth + 1)), 'too_deep');
  assert.equal(findJsonFault('{"a":'.repeat(maxDepth + 1)), 'too_deep');
  assert.equal(findJsonFault(`{"a":"${'['.repeat(100)}"}`), undefined, 'brackets in a text are no nesting');
  assert.equal(findJsonFault(`{"a":"\\"${'['.repeat(100)}"}`), undefined, 'nor after an escaped quote');
});

test('a string without an end, or a name with a broken escape, is found', () => {
  for (const text of ['"', '{"a', '{"a\\"', '{"\\u00":1}', '{"\\x":1}']) {
    assert.equal(findJsonFault(text), 'broken_string', text);
  }
});

test('256 KiB of the worst takes no longer than a blink', () => {
  const worst = [
    '['.repeat(262_144),
    '{"a":'.repeat(50_000),
    '"'.repeat(262_144),
    '\\'.repeat(262_144),
    `{${manyNames(20_000)}}`,
    '{"a"' + ' '.repeat(262_000),
  ];
  for (const text of worst) {
    const startedAt = cpuMs();
    findJsonFault(text);
    assert.ok(cpuMs() - startedAt < 500, text.slice(0, 10));
  }
});

function manyNames(count: number): string {
  return Array.from({ length: count }, (_, index) => `"\\u0061${index}":1`).join(',');
}

test('agrees with a parser that keeps every name', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const forbidden = /"(?:__proto__|constructor|prototype)"\s*:/.test(text);
      const expected = depthOf(value) > maxDepth || forbidden;
      assert.equal(findJsonFault(text) !== undefined, expected, text);
    }),
    { numRuns: 500 },
  );
});
