import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepAnswer } from '@mailproof/client/lists';
import { createAnswerTable } from './answer-table.ts';

test('an answer is kept as it was, nothing and false told apart', () => {
  const book = createAnswerTable(5);
  const plain = { email: 'a@example.com', verification_mode: 'power' } as const;
  const answers = [
    keepAnswer({ ...plain, status: 'unknown' }),
    keepAnswer({
      ...plain,
      status: 'invalid',
      overall_score: 0,
      is_safe_to_send: false,
      is_deliverable: false,
    }),
    keepAnswer({
      ...plain,
      status: 'safe',
      overall_score: 97.25,
      is_safe_to_send: true,
      is_deliverable: true,
    }),
    keepAnswer(undefined),
  ];
  for (const [i, answer] of answers.entries()) book.set(i, answer);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((i) => book.get(i)),
    [...answers, undefined],
  );
  assert.deepEqual(
    answers.map(({ score }) => score),
    [null, 0, 97.25, null],
  );
  assert.deepEqual(book.countByStatus(), { unknown: 1, invalid: 1, safe: 1, rejected: 1 });
});
