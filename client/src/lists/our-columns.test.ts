import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepAnswer } from './kept-answer.ts';
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
