import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sanitiseReply } from './sanitise-reply.ts';

test('line breaks fold to one space, so a reply stays one log record', () => {
  assert.equal(sanitiseReply('550 no\r\n550 really\n\nno', 200), '550 no 550 really no');
});

test('letters and signs of every language are kept', () => {
  const said = 'Postfach gelöscht · Ящик переполнен · 用户不存在 · 宛先不明 · 없는 사용자 · 😀';
  assert.equal(sanitiseReply(said, 200), said);
});

test('escapes, reversed reading and invisible characters become question marks', () => {
  assert.equal(sanitiseReply('\u001B[31mred\u202Etxt\u0007 é 😀', 200), '?[31mred?txt? é 😀');
  const invisible =
    '\u0085\u009B\u00AD\u200B\u200F\u2028\u2029\u2066\uFEFF\u3164\u115F\uFE0F\u2800\uE000\uFFFE\u{E0041}\uD800';
  assert.equal(sanitiseReply(invisible, 200), '?'.repeat(Array.from(invisible).length));
});

test('other kinds of space become plain ones, and marks cannot pile up', () => {
  assert.equal(sanitiseReply('a\u00A0b\u3000c', 200), 'a b c');
  assert.equal(sanitiseReply(`e\u0301 z${'\u0307'.repeat(50)}!`, 200), 'e\u0301 z?!');
});

test('the text is cut at the limit, in code points and never within one', () => {
  assert.equal(sanitiseReply('abcdef', 3), 'abc');
  assert.equal(sanitiseReply('abcdef', 0), '');
  assert.equal(sanitiseReply('é😀é😀', 3), 'é😀é');
  assert.equal(sanitiseReply('😀'.repeat(500), 200), '😀'.repeat(200));
});

test('whatever comes in, printable characters within the limit come out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: -5, max: 300 }), (text, limit) => {
      const clean = sanitiseReply(text, limit);
      assert.match(clean, /^[ \p{L}\p{M}\p{N}\p{P}\p{S}]*$/u);
      assert.ok(clean.isWellFormed());
      assert.ok(Array.from(clean).length <= Math.max(0, limit));
    }),
    { numRuns: 2_000 },
  );
});
