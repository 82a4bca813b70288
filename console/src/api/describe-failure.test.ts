import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailure } from './describe-failure.ts';

test('a failure is told in plain words, with what to do', () => {
  const { title, text } = describeFailure({ reason: 'insufficient_credits', status: 429, requestId: 'r1' });
  assert.equal(title, 'Not enough credits');
  assert.match(text, /not started, and nothing was charged/);
  assert.doesNotMatch(text, /r1/);
});

test('our own failures come with the request id, and waits with their length', () => {
  assert.match(
    describeFailure({ reason: 'verification_failed', status: 500, requestId: 'r2' }).text,
    /Request ID: r2$/,
  );
  const slowed = { reason: 'too_many_attempts', status: 429, requestId: undefined, retryAfterSeconds: 8 };
  assert.match(describeFailure(slowed).text, /Try again in 8 s\.$/);
});

test('what has no words is told by its name', () => {
  const { text } = describeFailure({ reason: 'constructor', status: 418, requestId: undefined });
  assert.equal(text, 'The service answered “constructor” (HTTP 418).');
});
