import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phrasePattern } from './phrase.ts';

function occurs(phrase: string, text: string): boolean {
  return phrasePattern([phrase]).test(` ${text} `);
}

test('whole words match, parts of words do not', () => {
  assert.ok(occurs('user unknown', 'the user unknown here'));
  assert.ok(!occurs('user unknown', 'superuser unknown'));
  assert.ok(!occurs('full', 'successfully'));
});

test('choices, options, endings and sets', () => {
  assert.ok(occurs('(user|mailbox) (is|was)? unknown', 'mailbox was unknown'));
  assert.ok(occurs('(user|mailbox) (is|was)? unknown', 'user unknown'));
  assert.ok(occurs('deactivat*', 'deactivated'));
  assert.ok(occurs('*greylist*', 'postgreylisting'));
  assert.ok(occurs('users? gone', 'user gone') && occurs('users? gone', 'users gone'));
  assert.ok(occurs('(too (large|big)|oversize)', 'too big'));
  assert.ok(occurs('{who} gone', 'recipient gone'));
});

test('a gap spans six words of one sentence and no more', () => {
  assert.ok(occurs('user ~ unknown', 'user a b c d e f unknown'));
  assert.ok(!occurs('user ~ unknown', 'user a b c d e f g unknown'));
  assert.ok(!occurs('user ~ unknown', 'user gone . reason unknown'));
});

test('the end of a sentence can be asked for', () => {
  assert.ok(occurs('rejected $', 'user rejected') && occurs('rejected $', 'rejected . see below'));
  assert.ok(!occurs('rejected $', 'rejected by policy'));
});

test('an unknown set is a mistake of ours', () => {
  assert.throws(() => phrasePattern(['{whom} gone']));
});
