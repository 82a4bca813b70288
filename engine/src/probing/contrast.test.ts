import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyReply } from '../replies/classifier/classify-reply.ts';
import { isUnlike, templateOf, type Said } from './contrast.ts';

/** Every row and guard is tried against real conversations in test/contract; here is what no host of the world does. */
function said(code: number, text: string): Said {
  const reply = { code, enhanced: undefined, text };
  return {
    meaning: classifyReply({ ...reply, provider: undefined }),
    read: { phase: 'rcpt', ...reply },
    text: reply.text,
    recipient: 'someone@example.com',
  };
}

const [yes, no] = [said(250, 'OK'), said(550, 'Rejected')];

test('a mailbox is unlike the made-up one only where it was refused both times, in the same words', () => {
  const madeUp = [yes, yes];
  assert.equal(isUnlike({ madeUp, mailbox: [no, no] }), true);
  assert.equal(isUnlike({ madeUp, mailbox: [no] }), false, 'asked for once');
  assert.equal(isUnlike({ madeUp, mailbox: [no, yes] }), false, 'taken after all');
  assert.equal(isUnlike({ madeUp, mailbox: [no, said(550, 'Not accepted here')] }), false, 'in other words');
  assert.equal(isUnlike({ madeUp: [yes, no], mailbox: [no, no] }), false, 'a made-up one was refused too');
});

test('two replies that differ in nothing but whom they name are of one template', () => {
  const template = (name: string, text = `550 I cannot deliver mail for <${name}@example.com>`) =>
    templateOf({ code: 550, enhanced: undefined, text }, `${name}@example.com`);
  assert.equal(template('jane'), template('x7q'));
  assert.notEqual(template('jane'), template('jane', '550 I do not deliver mail for jane'));
});
