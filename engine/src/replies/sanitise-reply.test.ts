import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sanitiseReply } from './sanitise-reply.ts';

test('line breaks fold to one space, so a reply stays one log record', () => {
  assert.equal(sanitiseReply('550 no\r\n550 really\n\nno', 200), '550 no 550 really no');
});

test('escapes, reversed reading and everything beyond ASCII become question marks', () => {
  assert.equal(sanitiseReply('\u001B[31mred\u202Etxt\u0007 é 😀', 200), '?[31mred?txt? ? ?');
});

test('the text is cut at the limit', () => {
  assert.equal(sanitiseReply('abcdef', 3), 'abc');
  assert.equal(sanitiseReply('abcdef', 0), '');
});

test('whatever comes in, printable ASCII within the limit comes out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: -5, max: 300 }), (text, limit) => {
      const clean = sanitiseReply(text, limit);
      assert.match(clean, /^[\x20-\x7E]*$/u);
      assert.ok(clean.length <= Math.max(0, limit));
    }),
  );
});
