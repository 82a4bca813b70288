import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BulkResultRecord } from './verification-types.ts';
import { matchResults } from './match-results.ts';

function resultsFor(...emails: string[]): Record<string, BulkResultRecord> {
  return Object.fromEntries(
    emails.map((email) => [email, { email, status: 'safe', verification_mode: 'power' }]),
  );
}

const found = (emails: string[], results: Record<string, BulkResultRecord>) =>
  matchResults(emails, results).map((record) => record?.email);

test('every spelling of an address finds the record of its first', () => {
  const results = resultsFor('Ada@Example.com', 'b@bücher.example');
  assert.deepEqual(found([' Ada@Example.com\t', 'ADA@EXAMPLE.COM', 'B@xn--bcher-kva.example'], results), [
    'Ada@Example.com',
    'Ada@Example.com',
    'b@bücher.example',
  ]);
});

test('what the service rejected finds nothing, whatever it looks like', () => {
  const results = resultsFor('ada@example.com');
  const others = [
    '',
    '@',
    'ada',
    '__proto__',
    'toString',
    'ada@exämple.com/x',
    'ada@[::1]',
    'ada@example.com.',
  ];
  assert.deepEqual(
    found(others, results),
    others.map(() => undefined),
  );
});
