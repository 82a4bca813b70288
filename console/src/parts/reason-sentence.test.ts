import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplainedReason } from '@mailproof/client';
import type { ExplanationReason } from '@mailproof/engine';
import { reasonSentence } from './reason-sentence.ts';

test('a reason is told in a sentence, and one that is new to the page by its name', () => {
  assert.equal(reasonSentence('mailbox_full'), 'The mailbox is full.');
  assert.equal(reasonSentence('moon_in_the_way'), 'moon in the way');
  assert.equal(reasonSentence('constructor'), 'constructor');
});

// These two hold when they compile: the reasons of the engine and those that have a text are the same.
const everyReasonHasAText = (reason: ExplanationReason): ExplainedReason => reason;
const everyTextHasAReason = (reason: ExplainedReason): ExplanationReason => reason;

test('every reason of the engine has a text, and every text a reason', () => {
  assert.equal(everyReasonHasAText('null_mx'), everyTextHasAReason('null_mx'));
});
