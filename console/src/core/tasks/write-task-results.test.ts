import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeTaskResults } from './write-task-results.ts';

test('the results of a task are a CSV in which no cell is a formula', () => {
  const plain = { verification_mode: 'power' } as const;
  assert.equal(
    writeTaskResults([
      { ...plain, email: '=1+1@example.com', status: 'invalid', overall_score: 0, is_deliverable: false },
      { ...plain, email: '"a,b"@example.com', status: 'unknown' },
    ]),
    'email,email_status,email_score,email_safe_to_send,email_deliverable,email_reason\r\n' +
      "'=1+1@example.com,invalid,0,,false,\r\n" +
      '"""a,b""@example.com",unknown,,,,\r\n',
  );
});
