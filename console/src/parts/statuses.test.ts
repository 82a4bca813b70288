import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplainedReason } from '@mailproof/client';
import type { ExplanationReason } from '@mailproof/engine';
import { reasonSentence, tallyByProvider, tallyByStatus } from './statuses.ts';

test('statuses are counted in the order in which they are listed', () => {
  const answers = ['unknown', 'safe', 'invalid', 'safe', 'brand_new'].map((status) => ({ status }));
  assert.deepEqual(tallyByStatus(answers), [
    { status: 'safe', count: 2 },
    { status: 'invalid', count: 1 },
    { status: 'unknown', count: 2 },
  ]);
});

test('providers come largest first, and those beyond the most are one', () => {
  const answers = ['b', 'a', 'a', 'c', 'd'].map((provider) => ({ provider, status: 'safe' }));
  assert.deepEqual(
    tallyByProvider(answers, 3).map(({ provider, count }) => [provider, count]),
    [
      ['a', 2],
      ['b', 1],
      ['2 others', 2],
    ],
  );
  assert.equal(tallyByProvider(answers, 4).length, 4);
});

test('a reason is told in a sentence, and one that is new to the page by its name', () => {
  assert.equal(reasonSentence('mailbox_full'), 'The mailbox is full.');
  assert.equal(reasonSentence('moon_in_the_way'), 'moon in the way');
  assert.equal(reasonSentence('constructor'), 'constructor');
});

// These compile only if the engine's reasons and the reasons with a text are the same.
const everyReasonHasAText = (reason: ExplanationReason): ExplainedReason => reason;
const everyTextHasAReason = (reason: ExplainedReason): ExplanationReason => reason;

test('every reason of the engine has a text, and every text a reason', () => {
  assert.equal(everyReasonHasAText('null_mx'), everyTextHasAReason('null_mx'));
});
