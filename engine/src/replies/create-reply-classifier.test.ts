import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyReply } from './classify-reply.ts';
import { createReplyClassifier } from './create-reply-classifier.ts';
import type { ReplyToClassify } from './meaning.ts';
import { allRules } from './rules/all-rules.ts';

/** Every sample of every rule, as each class of reply, from a known provider and from nobody in particular. */
const replies: ReplyToClassify[] = allRules.flatMap(({ samples }) =>
  samples.flatMap((sample) =>
    [450, 550, 554].flatMap((code) =>
      [undefined, 'google', 'microsoft'].map((provider) => ({
        code,
        enhanced: undefined,
        text: sample,
        provider,
      })),
    ),
  ),
);

test('what is remembered is what the rules say, whatever was asked before', () => {
  for (const most of [1, 50, 100_000]) {
    const classify = createReplyClassifier(most);
    for (const reply of [...replies, ...replies]) assert.deepEqual(classify(reply), classifyReply(reply));
  }
});

test('a 2xx is accepted, whatever its words', () => {
  const classify = createReplyClassifier(10);
  const reply = { code: 250, enhanced: undefined, text: 'user unknown', provider: undefined };
  assert.deepEqual(classify(reply), { label: 'accepted', reason: 'accepted' });
});

test('the answer is the caller’s own: changing it changes nobody else’s', () => {
  const classify = createReplyClassifier(10);
  const reply = { code: 550, enhanced: '5.1.1', text: 'user unknown', provider: undefined };
  const expected = classifyReply(reply);
  for (let round = 0; round < 3; round += 1) {
    const meaning = classify(reply);
    assert.deepEqual(meaning, expected);
    meaning.reason = 'changed';
  }
});
