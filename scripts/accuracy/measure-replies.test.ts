import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplyLabel } from '../../engine/src/replies/meaning.ts';
import { measureReplies } from './measure-replies.ts';
import type { LabelledReply } from './measure-replies.ts';

function row(text: string, label: ReplyLabel, altLabels: ReplyLabel[] = []): LabelledReply {
  return { id: text, code: 550, enhanced: undefined, text, provider: undefined, label, altLabels };
}

test('right, defensible and wrong answers are told apart', () => {
  const measure = measureReplies([
    row('User unknown', 'mailbox_not_exist'),
    row('No such user', 'mailbox_not_exist'),
    row('mailbox full', 'mailbox_disabled', ['mailbox_full']),
    row('No such mailbox', 'blocked_or_policy'),
  ]);
  assert.equal(measure.rows, 4);
  assert.equal(measure.accuracy, 0.5);
  assert.equal(measure.lenient, 0.75);
  assert.equal(measure.falseInvalid, 1);
  assert.deepEqual(
    measure.misses.map(({ row: { id }, got }) => [id, got.label]),
    [['No such mailbox', 'mailbox_not_exist']],
  );
});

test('macro-F1 is the mean over the labels that occur, strict and lenient', () => {
  const measure = measureReplies([
    row('User unknown', 'mailbox_not_exist'),
    row('No such user', 'mailbox_not_exist'),
    row('mailbox full', 'mailbox_disabled', ['mailbox_full']),
    row('No such mailbox', 'blocked_or_policy'),
  ]);
  // mailbox_not_exist: precision 2/3, recall 1, so F1 .8; the other two 0 when strict, and 1 and 0 when lenient.
  assert.ok(Math.abs(measure.macroF1 - 0.8 / 3) < 1e-9);
  assert.ok(Math.abs(measure.lenientMacroF1 - 1.8 / 3) < 1e-9);
  assert.deepEqual(measure.perLabel.blocked_or_policy, { support: 1, precision: 0, recall: 0, f1: 0 });
});

test('no rows, no figures, no division by nothing', () => {
  const measure = measureReplies([]);
  assert.deepEqual([measure.rows, measure.accuracy, measure.macroF1, measure.falseInvalid], [0, 0, 0, 0]);
});
