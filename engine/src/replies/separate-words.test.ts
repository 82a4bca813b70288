import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseText } from './normalise-reply.ts';
import { allRules } from './rules/all-rules.ts';
import { phrasePieces } from './rules/phrase.ts';
import { separateWords } from './separate-words.ts';

test('known words of Chinese, Japanese and Korean stand apart, the longest first', () => {
  assert.equal(normaliseText('该用户不存在，请稍后重试。'), ' 该 用户 不存在 请 稍后 重试 . ');
  assert.equal(normaliseText('ユーザーが存在しません'), ' ユーザー が 存在しません ');
  assert.equal(normaliseText('사용자가 존재하지 않습니다'), ' 사용자 가 존재하지 않습니다 ');
});

test('half-width and full-width letters read alike', () => {
  assert.equal(normaliseText('ﾕｰｻﾞｰ　ＩＤ'), normaliseText('ユーザー id'));
});

test('every such word of every phrase is known, so that no phrase waits in vain', () => {
  const phrases = allRules.flatMap(({ when }) => Object.keys({ ...when.text, ...when.unless }));
  const words = new Set(
    phrases.flatMap(phrasePieces).filter((piece) => /^[\u3040-\u9FFF\uAC00-\uD7AF]/u.test(piece)),
  );
  assert.ok(words.size > 150);
  for (const word of words) assert.equal(separateWords(`x${word}x`), `x ${word} x`, word);
});

test('other texts come back as they are', () => {
  const text = ' user unknown, Пользователь не найден ';
  assert.equal(separateWords(text), text);
});
