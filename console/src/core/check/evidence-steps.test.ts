import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Explanation, VerificationResult } from '@mailproof/client';
import { evidenceSteps } from './evidence-steps.ts';

const unasked: Explanation = {
  stage: 'smtp',
  reason: 'user_unknown',
  retry: { advised: false },
  replies: [],
  timings_ms: { dns: 12, total: 1_360 },
};

const explanation: Explanation = {
  ...unasked,
  mail_host: 'mx1.example.com',
  replies: [
    { phase: 'banner', code: 220, text: 'mx1.example.com ready' },
    { phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'no such user' },
    { phase: 'quit', code: 221, enhanced: '2.0.0', text: '2.0.0 bye' },
  ],
  timings_ms: { dns: 12, smtp: 1_340, total: 1_360 },
};

const plain: VerificationResult = {
  email: 'ada@example.com',
  status: 'invalid',
  username: 'ada',
  domain: 'example.com',
  mx_accepts_mail: true,
  mx_records: ['mx1.example.com', 'mx2.example.com'],
  verification_mode: 'power',
};

const invalid: VerificationResult = { ...plain, explanation };

function told(result: Partial<VerificationResult>, about: Partial<Explanation> = {}): string {
  return evidenceSteps({ ...invalid, ...result, explanation: { ...explanation, ...about } })
    .flatMap(({ kind, lines, exchanges }) => [
      `${kind}:`,
      ...lines,
      ...exchanges.map(({ asked, reply }) => `${asked} → ${reply}`),
    ])
    .join('\n');
}

describe('the evidence for a verdict', () => {
  test('tells what DNS says, which server was asked, what it replied and what that means', () => {
    assert.equal(
      told({}),
      [
        'address:',
        'The address is well-formed: mailbox ada, domain example.com.',
        'dns:',
        'example.com has 2 mail servers, in this order: mx1.example.com, mx2.example.com. The lookup took 12 ms.',
        'host:',
        'We talked to mx1.example.com for 1.3 s. No message was sent.',
        'It greeted us → 220 mx1.example.com ready',
        'We asked whether it accepts mail for ada@example.com (RCPT TO) → 550 5.1.1 no such user',
        'We said goodbye (QUIT) → 221 2.0.0 bye',
        'verdict:',
        'The mail server says that the mailbox does not exist or that its owner has left.',
        'Mail to this address bounces. Do not send.',
      ].join('\n'),
    );
  });

  test('ends at DNS where the domain accepts no mail, and no server is asked', () => {
    const steps = evidenceSteps({
      ...invalid,
      mx_accepts_mail: false,
      mx_records: [],
      explanation: { ...unasked, stage: 'dns', reason: 'null_mx', replies: [], timings_ms: { total: 9 } },
    });
    assert.deepEqual(
      steps.map(({ kind, decides }) => [kind, decides]),
      [
        ['address', false],
        ['dns', true],
        ['verdict', false],
      ],
    );
    assert.deepEqual(steps[1]?.lines, ['The domain declares that it accepts no mail (null MX).']);
  });

  test('says that no server was contacted where a list decided', () => {
    const steps = evidenceSteps({
      ...invalid,
      status: 'disposable',
      explanation: { ...unasked, stage: 'lists', reason: 'disposable_listed', replies: [] },
    });
    assert.ok(
      steps.some(({ kind, lines }) => kind === 'lists' && /No mail server was contacted/.test(lines.join())),
    );
    assert.ok(steps.every(({ kind }) => kind !== 'host'));
  });

  test('says that a role is not for bulk mail, and that a program made an address', () => {
    assert.match(
      told({ is_role_account: true }, { not_for_bulk: true }),
      /Do not send bulk mail to this role/,
    );
    assert.match(told({}, { is_machine: true }), /A program made this address/);
    assert.doesNotMatch(told({ is_role_account: true }), /bulk|program/);
  });

  test('says that a privacy relay forwards the mail, and that no relay is disposable', () => {
    assert.match(told({}, { is_relay: true }), /privacy relay, which forwards mail/);
    assert.doesNotMatch(told({}, { is_relay: true }), /disposable/);
    assert.doesNotMatch(told({}), /relay/);
  });

  test('says that a domain is parked', () => {
    assert.match(told({}, { parked: true }), /The domain is parked/);
    assert.doesNotMatch(told({}), /parked/);
  });

  test('says when to ask again', () => {
    const about = { reason: 'greylisted', retry: { advised: true, after_seconds: 300 } };
    assert.match(told({ status: 'unknown' }, about), /Try again in 5 minutes\.$/);
  });

  test('covers an implicit MX, and a server that never replied', () => {
    assert.match(
      told({ mx_records: ['example.com'] }),
      /has no MX record, so its mail goes to the domain itself/,
    );
    assert.match(told({}, { replies: [] }), /We contacted mx1\.example\.com and got no readable reply/);
  });

  test('is empty without an explanation', () => {
    assert.deepEqual(evidenceSteps(plain), []);
  });
});
