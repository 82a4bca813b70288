import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonSentence } from './reason-sentence.ts';

test('a reason is told in a sentence, and one that is new to the page by its name', () => {
  assert.equal(reasonSentence('mailbox_full'), 'The mailbox is full.');
  assert.equal(reasonSentence('moon_in_the_way'), 'moon in the way');
  assert.equal(reasonSentence('constructor'), 'constructor');
});
