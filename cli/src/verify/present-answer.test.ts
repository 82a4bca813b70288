import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { describe, test } from 'node:test';
import type { Answer } from './verify-all.ts';
import { createTerminal } from '../terminal.ts';
import { presentShort, presentEvidence } from './present-answer.ts';
import { printable, wrap } from '../present/text.ts';

const terminal = createTerminal({ input: Readable.from([]), output: new Writable(), side: new Writable() });

const unknown: Answer & { kind: 'verdict' } = {
  kind: 'verdict',
  verdict: {
    email: 'ada@example.com',
    status: 'unknown',
    username: 'ada',
    domain: 'example.com',
    is_valid_syntax: true,
    is_disposable: false,
    is_role_account: false,
    is_free_email: true,
    mx_accepts_mail: true,
    mx_records: ['mx1.example.com', 'mx2.example.com'],
    verification_mode: 'power',
  },
  explanation: {
    stage: 'smtp',
    reason: 'reason_without_a_sentence',
    retry: { advised: true, after_seconds: 86_400 },
    mail_host: 'mx1.example.com',
    replies: [
      {
        phase: 'rcpt',
        code: 554,
        enhanced: '5.7.1',
        text: 'Service unavailable; your address is on a block list, ask for removal there',
      },
    ],
    timings_ms: { dns: 12, smtp: 130, total: 143 },
  },
};

describe('the evidence for an address', () => {
  test('what was not looked at is listed as unknown, never as a no', () => {
    assert.equal(
      presentEvidence(unknown, terminal),
      `ada@example.com  unknown
  why        reason_without_a_sentence
  is         free provider, domain accepts mail
  is not     disposable, role account
  unknown    spam trap, mail server reached, deliverable, catch-all, full,
             disabled, safe to send
  mail hosts mx1.example.com, mx2.example.com
  asked      mx1.example.com
             rcpt        554 5.7.1 Service unavailable; your address is on a
                         block list, ask for removal there
  retry      in 24 h
  took       143 ms (DNS 12, SMTP 130)
`,
    );
  });

  test('a slip in the domain, a parked domain, a relay and what nobody should write to are told', () => {
    const yes = true as const;
    const explanation = {
      ...unknown.explanation,
      did_you_mean: 'gmail.com',
      parked: yes,
      is_relay: yes,
      not_for_bulk: yes,
      is_machine: yes,
    };
    const told = presentEvidence({ ...unknown, explanation }, terminal);
    assert.match(told, /^ {2}perhaps +did you mean gmail\.com\?$/m);
    assert.match(told, /^ {2}parked +the mail of the domain goes to a service/m);
    assert.match(told, /^ {2}relay +the mail is forwarded to a mailbox/m);
    assert.match(told, /^ {2}role +nobody should write to this role in bulk$/m);
    assert.match(told, /^ {2}machine +a program made this address/m);
    assert.match(presentShort({ ...unknown, explanation }, terminal), /, did you mean gmail\.com\?\n$/);
  });

  test('an error has its reason in words', () => {
    const explanation = {
      stage: 'syntax',
      reason: 'no_at_sign',
      retry: { advised: false },
      replies: [],
      timings_ms: { total: 0 },
    } as const;
    const answer: Answer = {
      kind: 'error',
      email: 'nonsense',
      error: 'invalid_email',
      explanation: { ...explanation, replies: [] },
    };
    assert.match(
      presentEvidence(answer, terminal),
      /^nonsense {2}invalid_email\n {2}why +\w[^(]+ \(no_at_sign\)\n {2}took +0 ms\n$/,
    );
    assert.equal(
      presentEvidence({ ...answer, explanation: undefined }, terminal),
      'nonsense  invalid_email\n',
    );
  });

  test('one of many is one line', () => {
    assert.equal(
      presentShort(unknown, terminal),
      'unknown            ada@example.com  reason_without_a_sentence\n',
    );
  });
});

test('a text is broken at spaces, and a word that is too long is not cut', () => {
  assert.deepEqual(wrap('one two three', { columns: 9, first: '- ', indent: '  ' }), [
    '- one two',
    '  three',
  ]);
  assert.deepEqual(wrap('a muchlongerword b', { columns: 6 }), ['a', 'muchlongerword', 'b']);
  assert.deepEqual(wrap('', { columns: 10, first: '> ' }), ['> ']);
});

test('what moves the cursor or turns the writing around is shown as what it is', () => {
  assert.equal(
    printable('a\u001b[31mb\rc\u202ed\u2028e\u007f\u009b'),
    'a\\u{1b}[31mb\\u{d}c\\u{202e}d\\u{2028}e\\u{7f}\\u{9b}',
  );
  assert.equal(printable('jörg@日本.example'), 'jörg@日本.example');
});
