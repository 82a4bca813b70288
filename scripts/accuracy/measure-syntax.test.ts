import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureSyntax } from './measure-syntax.ts';

test('agreement is counted by label, disagreement is told, and what is not labelled is not scored', () => {
  const measure = measureSyntax([
    { email: 'jo@example.com', expected_valid_for_mailing: true },
    { email: 'jo@example', expected_valid_for_mailing: true },
    { email: 'jo.example.com', expected_valid_for_mailing: false },
    { email: 'jo@example..com', expected_valid_for_mailing: false },
    { email: 'doe@example.com', expected_valid_for_mailing: false },
    { email: '"jo"@example.com', expected_valid_for_mailing: null },
  ]);
  assert.deepEqual(measure, {
    valid: 2,
    validAccepted: 1,
    invalid: 3,
    invalidRefused: 2,
    misses: [
      { email: 'jo@example', expected: true, answer: 'domain_dotless' },
      { email: 'doe@example.com', expected: false, answer: 'valid' },
    ],
  });
});
