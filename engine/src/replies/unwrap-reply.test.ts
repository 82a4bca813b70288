import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unwrapReply } from './unwrap-reply.ts';

function unwrapped(text: string): string {
  const { innermost } = unwrapReply({ code: 550, enhanced: undefined, text });
  const { code, enhanced, text: inner } = innermost;
  return [code, enhanced ?? '-', inner].join(' ');
}

test('a reply that quotes nothing stays as it is', () => {
  assert.equal(unwrapped('5.1.1 User unknown'), '550 - 5.1.1 User unknown');
  assert.equal(unwrapped('call 555 1234, he said'), '550 - call 555 1234, he said');
});

test('Postfix, qmail, Exim, DSN and Exchange announce a quoted reply each in their way', () => {
  assert.equal(unwrapped('host mx.example[192.0.2.1] said: 552 5.2.2 full'), '552 5.2.2 full');
  assert.equal(unwrapped('Remote host said: 550-5.1.1 no such user'), '550 5.1.1 no such user');
  assert.equal(
    unwrapped(
      'SMTP error from remote mail server after RCPT TO:<a@example.com>: host mx.example [192.0.2.1]: 450 busy',
    ),
    '450 - busy',
  );
  assert.equal(unwrapped('smtp; 554 5.7.1 blocked'), '554 5.7.1 blocked');
  assert.equal(unwrapped('Remote server returned an error -> 550 5.1.1 unknown'), '550 5.1.1 unknown');
});

test('the innermost of several is taken', () => {
  assert.equal(unwrapped('a said: 550 5.1.1 b said: 452 4.2.2 full'), '452 4.2.2 full');
});
