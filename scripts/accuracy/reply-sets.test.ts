import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readReplySet } from '../labelled-rows.ts';
import { measureReplies } from './measure-replies.ts';

const sets = ['first', 'second', 'third', 'fourth'];

describe('our own sets of replies are read as well as the goals ask', () => {
  for (const name of sets) {
    test(`${name}-set.txt`, () => {
      const rows = readReplySet(readFileSync(`${import.meta.dirname}/replies/${name}-set.txt`, 'utf8'));
      assert.ok(rows.length >= 100, `${rows.length} rows`);
      const { lenient, macroF1, falseInvalid, misses } = measureReplies(rows);
      const missed = misses.map(({ row, got }) => `${row.id}: ${got.label}`).join('\n');
      assert.ok(lenient >= 0.97, `defensible ${lenient}\n${missed}`);
      assert.ok(macroF1 >= 0.92, `macro-F1 ${macroF1}\n${missed}`);
      assert.equal(falseInvalid, 0, missed);
    });
  }
});

test('a set with an unknown label or a line that is no reply is refused', () => {
  assert.throws(() => readReplySet('== mailbox_gone\n550 no'), /line 1/u);
  assert.throws(() => readReplySet('== other\nno reply'), /line 2/u);
  assert.throws(() => readReplySet('550 without a label'), /line 1/u);
});

test('a row has its provider, codes, words and every defensible label', () => {
  const [row] = readReplySet('# about\n\n== other | mailbox_full\n{qq} 550 5.1.1 sorry\n');
  assert.deepEqual(row, {
    id: '{qq} 550 5.1.1 sorry',
    code: 550,
    enhanced: '5.1.1',
    text: 'sorry',
    provider: 'qq',
    label: 'other',
    altLabels: ['mailbox_full'],
  });
});
