import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonGroups } from '@mailproof/engine';
import { reasonSentence } from './reason-sentences.ts';

test('every reason of the engine has the words that the engine has for it', () => {
  const theirs = reasonGroups.flatMap(({ texts }) => Object.entries(texts));
  assert.ok(theirs.length > 50);
  for (const [reason, text] of theirs) assert.equal(reasonSentence(reason), text);
});

test('a reason that is new to the page is shown by its name', () => {
  assert.equal(reasonSentence('moon_in_the_way'), 'moon in the way');
  assert.equal(reasonSentence('constructor'), 'constructor');
});
