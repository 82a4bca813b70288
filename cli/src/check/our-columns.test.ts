import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswerBook, keepAnswer } from './answer-book.ts';
import { ourHeadings, writeCell } from './our-columns.ts';

test('what begins like a formula is made text, and what would break a row is quoted', () => {
  for (const formula of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])
    assert.equal(writeCell(formula, ','), `'${formula}`);
  assert.equal(writeCell('=HYPERLINK("x","y")', ','), '"\'=HYPERLINK(""x"",""y"")"');
  assert.equal(writeCell('a;b', ';'), '"a;b"');
  assert.equal(writeCell('mailbox_accepted', ','), 'mailbox_accepted');
});

test('a list that was checked before gets headings of its own', () => {
  assert.deepEqual(ourHeadings(['email'])[0], 'email_status');
  assert.deepEqual(ourHeadings(['email', 'email_status'])[1], 'email_score_2');
  assert.deepEqual(ourHeadings(['email_reason', 'email_reason_2'])[0], 'email_status_3');
});

test('an answer is kept as it was, nothing and false told apart', () => {
  const book = createAnswerBook(5);
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

test('words of the service are held to printable ASCII of a sensible length', () => {
  const told = keepAnswer({
    email: 'a@example.com',
    status: 'safe',
    verification_mode: 'power',
    explanation: {
      stage: 'smtp',
      reason: `\r\n\u001b[2J\u20ac${'x'.repeat(100)}`,
      retry: { advised: false },
      replies: [],
      timings_ms: { total: 0 },
    },
  });
  assert.match(told.reason, /^\?\?\?\[2J\?x{57}$/);
});
