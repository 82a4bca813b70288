import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readReplyLine } from '../../../test/support/read-reply-line.ts';
import { classifyReply } from './classify-reply.ts';
import type { ReplyLabel } from '../meaning.ts';
import { condemnsMailbox } from '../rules/rule.ts';
import { cpuMs } from '../../../test/support/machine.ts';

function labelOf(line: string, provider?: string): ReplyLabel {
  return classifyReply(readReplyLine(line, provider)).label;
}

describe('class before code before text', () => {
  test('any 2xx is accepted, whatever it says', () => {
    assert.equal(labelOf('250 2.1.5 OK'), 'accepted');
    assert.equal(labelOf('251 User not local; will forward to <someone@example.net>'), 'accepted');
    assert.equal(labelOf('252 Cannot verify the user'), 'accepted');
  });

  test('a 4xx that says "user unknown" is temporary', () => {
    assert.equal(labelOf('450 4.1.1 <someone@example.com>: User unknown'), 'greylisted_or_temporary');
    assert.equal(labelOf('450 4.2.1 mailbox is disabled'), 'greylisted_or_temporary');
  });

  test('a 4xx may say that the mailbox is full', () => {
    assert.equal(labelOf('452 4.2.2 over quota'), 'mailbox_full');
  });

  test('a 3xx and a code from nowhere are other', () => {
    assert.equal(labelOf('354 go ahead'), 'other');
    assert.equal(
      classifyReply({ code: 0, enhanced: undefined, text: '', provider: undefined }).label,
      'other',
    );
    assert.equal(
      classifyReply({ code: Number.NaN, enhanced: undefined, text: 'x', provider: undefined }).label,
      'other',
    );
  });

  test('an enhanced code that contradicts the class is ignored', () => {
    assert.equal(labelOf('450 5.1.1 odd'), 'greylisted_or_temporary');
    assert.equal(labelOf('550 4.2.2 odd'), 'other');
  });

  test('a missing enhanced code is found at the head of the text, or behind a # anywhere', () => {
    assert.equal(labelOf('550 cuda_nsu 5.1.1 odd'), 'mailbox_not_exist');
    assert.equal(labelOf('550 odd (#5.1.1)'), 'mailbox_not_exist');
    assert.equal(labelOf('550 odd, running version 5.1.1 of it'), 'other');
  });
});

describe('texts that mean something else than their code', () => {
  const traps: readonly [string, ReplyLabel, string?][] = [
    [
      '550 5.2.1 That user is receiving mail at a rate that keeps more from coming in',
      'greylisted_or_temporary',
      'google',
    ],
    ['550 5.2.1 The account that you tried to reach is disabled', 'mailbox_disabled', 'google'],
    [
      '450 4.2.1 This user is receiving mail too quickly, resend in an hour',
      'greylisted_or_temporary',
      'google',
    ],
    ['552 5.2.2 The inbox is out of storage space and inactive', 'mailbox_full', 'google'],
    ['553 5.1.3 The recipient address is not a valid RFC-5321 address', 'mailbox_not_exist', 'google'],
    ['421 4.7.0 TLS required for RCPT domain', 'blocked_or_policy', 'google'],
    ['550 5.7.25 The sending IP has no PTR record', 'blocked_or_policy', 'google'],
    [
      '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)',
      'mailbox_not_exist',
      'outlook',
    ],
    ['452 4.5.3 Too many recipients in one transaction (AS780090)', 'greylisted_or_temporary', 'outlook'],
    ['550 5.7.1 Part of their network is on our block list (S3140)', 'blocked_or_policy', 'outlook'],
    [
      '554 5.2.122 The recipient has exceeded their hourly limit for receiving',
      'greylisted_or_temporary',
      'outlook',
    ],
    [
      '550 5.4.1 [someone@example.com]: Recipient address rejected: Access denied',
      'mailbox_not_exist',
      'microsoft',
    ],
    ['554 5.7.1 <someone@example.com>: Recipient address rejected: Access denied', 'blocked_or_policy'],
    ['451 4.7.500 Server busy (AS77713)', 'greylisted_or_temporary', 'microsoft'],
    ['550 5.7.606 Access denied, banned sending IP [192.0.2.7]', 'blocked_or_policy', 'microsoft'],
    ['552 1 Requested mail action aborted, mailbox not found', 'mailbox_not_exist', 'yahoo'],
    [
      '421 4.7.0 [TSS04] Messages from 192.0.2.7 temporarily deferred due to user complaints',
      'blocked_or_policy',
      'yahoo',
    ],
    ['451 Internal resources are temporarily unavailable', 'greylisted_or_temporary', 'mimecast'],
    ['451 Account inbounds disabled', 'greylisted_or_temporary', 'mimecast'],
    ['503 User unknown', 'mailbox_not_exist', 'mimecast'],
    ['550 Administrative prohibition', 'blocked_or_policy', 'mimecast'],
    ['550 5.7.1 someone@example.com: this address is marked as invalid', 'mailbox_not_exist', 'proofpoint'],
    [
      '421 4.1.1 <someone@example.com>: address verification is in progress, ask again',
      'greylisted_or_temporary',
      'proofpoint',
    ],
    ['550 5.1.8 Sender address rejected: the domain was not found', 'blocked_or_policy', 'proofpoint'],
    [
      '554 5.7.1 Service unavailable; Client host [192.0.2.7] blocked using list.example',
      'blocked_or_policy',
    ],
    ['452 4.3.1 Insufficient system storage', 'greylisted_or_temporary'],
    ['552 5.1.1 extended quota violation', 'mailbox_full', 'comcast'],
    ['552 5.1.1 Boite du destinataire pleine. OFR_417', 'mailbox_full', 'orange'],
    ['550 5.1.1 Boite du destinataire archivee', 'mailbox_disabled', 'orange'],
    ['550 5.7.1 No such user!', 'mailbox_not_exist', 'yandex'],
    ['550 Mailbox unavailable or access denied', 'blocked_or_policy', 'qq'],
    ['540 5.7.1 recipient address rejected: Inactive', 'mailbox_disabled'],
    ['554 Attempting to mail too many invalid recipients IB112', 'blocked_or_policy', 'godaddy'],
    ['503 5.5.1 Error: send HELO/EHLO first', 'blocked_or_policy', 'apple'],
    ['503 5.5.1 Error: send HELO/EHLO first', 'other'],
  ];
  for (const [line, label, provider] of traps) {
    test(`${line} → ${label}`, () => assert.equal(labelOf(line, provider), label));
  }
});

describe('a quoted reply is read from the inside', () => {
  test('the inner full mailbox outranks the outer "undeliverable"', () => {
    const line =
      '550 5.1.1 <someone@example.com>: undeliverable address: host mx.example[192.0.2.1] said: 552 5.2.2 Mailbox full';
    assert.equal(labelOf(line), 'mailbox_full');
  });

  test('a gateway that defers on an inner "no such user" has not decided', () => {
    const line = '450 4.1.1 undeliverable address: host mx.example[192.0.2.1] said: 550 5.1.1 User unknown';
    assert.deepEqual(labelOf(line), 'greylisted_or_temporary');
  });
});

describe('the name of an address is not read as words', () => {
  test('words inside a mail address are not read', () => {
    assert.equal(labelOf('550 <user.unknown@no-such-user.example> sorry'), 'other');
    assert.equal(labelOf('550 5.1.1 <spam.blocked@spamhaus.example> User unknown'), 'mailbox_not_exist');
  });
});

describe('complaints about us never condemn the mailbox', () => {
  const complaints = [
    'Sender domain does not exist',
    'The MAIL FROM address is not a valid mailbox',
    'Sender address rejected: User unknown in local recipient table',
    'Verification failed for <x@example.org> Response: 550 5.1.1 User unknown Sender verify failed',
    'the reverse name of your address was not found',
    'Unknown host 192.0.2.7',
    'HELO name unknown',
    'No SPF record found',
    'Your IP address was not found in DNS',
    'Too many unknown users from your IP',
    'Number of unknown recipients exceeded',
    'You are mailing too many nonexistent users',
    'your mailbox is disabled for sending',
    'Your account has been suspended',
    'The recipient has blocked your address',
    'Recipient address rejected: policy',
    'Relaying denied for unknown user of this gateway',
    'Message looks like spam; mailbox protected',
    'Mailbox not served: this message is too large',
    'someone@example.com is on our suppression list',
    'the return address cannot be verified',
    'no, 192.0.2.7',
    'this list is for members only',
    'a temporary block of your address',
  ];
  for (const complaint of complaints) {
    for (const head of ['550', '554 5.7.1', '553 5.1.1', '550 5.2.1']) {
      test(`${head} ${complaint}`, () => assert.ok(!condemnsMailbox(labelOf(`${head} ${complaint}`))));
    }
  }
});

describe('a refusal by name without a reason', () => {
  test('condemns no mailbox under a bare 550 or 554', () => {
    for (const line of [
      '550 Recipient rejected',
      '554 Address refused',
      '550 5.7.1 <a@example.com> rejected',
    ])
      assert.equal(labelOf(line), 'blocked_or_policy', line);
  });

  test('is believed where the code stands for addresses', () => {
    for (const line of ['550 #5.1.0 Address rejected.', '542 someone@example.com Rejected'])
      assert.equal(labelOf(line), 'mailbox_not_exist', line);
  });
});

describe('total, deterministic, bounded', () => {
  const anyReply = fc.record({
    code: fc.oneof(fc.integer({ min: -10, max: 999 }), fc.double()),
    enhanced: fc.option(fc.oneof(fc.string(), fc.constantFrom('5.1.1', '4.2.2', '5.7.1', '2.1.5')), {
      nil: undefined,
    }),
    text: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3_000 }),
      fc
        .array(
          fc.constantFrom(
            'user',
            'unknown',
            'mailbox',
            'disabled',
            'quota',
            'does not exist',
            '550',
            '5.1.1',
            'said:',
          ),
        )
        .map((words) => words.join(' ')),
    ),
    provider: fc.option(
      fc.oneof(fc.string(), fc.constantFrom('google', 'mx.example.net', 'gmx/web.de/1&1')),
      { nil: undefined },
    ),
  });

  test('answers every reply, the same way each time', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const first = classifyReply(reply);
        assert.match(first.reason, /^[a-z]+(?:_[a-z]+)*$/u);
        assert.deepEqual(classifyReply(reply), first);
      }),
    );
  });

  test('no 4xx ever condemns a mailbox', () => {
    fc.assert(
      fc.property(anyReply, fc.integer({ min: 400, max: 499 }), (reply, code) => {
        assert.ok(!condemnsMailbox(classifyReply({ ...reply, code }).label));
      }),
    );
  });

  test('hostile texts of any length cost milliseconds, not seconds', () => {
    const seeds = [
      'user ',
      'mailbox is not ',
      'a',
      'a@',
      '1.1.1.',
      ' ',
      'x.',
      'said: ',
      '550 5.1.1 ',
      'host aaaa ',
      "'",
      '::',
      '邮箱',
      'не ',
      '.',
      '550-',
      '\uFDFA',
    ];
    const began = cpuMs();
    for (const seed of seeds) {
      classifyReply({
        code: 550,
        enhanced: undefined,
        text: seed.repeat(200_000 / seed.length),
        provider: undefined,
      });
    }
    // About 10 ms each on an idle machine; a quadratic rule takes minutes at this length if the cut is ever
    // lost.
    assert.ok(cpuMs() - began < 5_000);
  });
});

describe('a provider whose filters answer as if there were no mailbox', () => {
  for (const provider of ['docomo', 'au', 'softbank', 'mfsmax.docomo.ne.jp', 'lsean.ezweb.ne.jp']) {
    test(`${provider} never says that a mailbox does not exist`, () => {
      for (const line of [
        '550 Unknown user someone@example.com',
        '550 5.1.1 <someone@example.com>: User unknown',
        '550 : User unknown',
        '550 Invalid recipient: <someone@example.com>',
        '550 5.1.1 sorry',
      ]) {
        const meaning = classifyReply(readReplyLine(line, provider));
        assert.deepEqual(meaning, { label: 'blocked_or_policy', reason: 'unavailable_or_denied' }, line);
      }
      const soft = classifyReply(readReplyLine('450 4.1.1 User unknown', provider));
      assert.deepEqual(soft, { label: 'greylisted_or_temporary', reason: 'deferred' });
    });

    test(`${provider} is believed about what is full`, () => {
      assert.equal(classifyReply(readReplyLine('552 too much mail data', provider)).label, 'mailbox_full');
    });
  }
});

describe('a lookup that failed is not a refusal', () => {
  const beside = [
    'recipient not found',
    'User unknown',
    'no such mailbox',
    'mailbox unavailable',
    'quota exceeded',
  ];
  const failures = [
    'LDAP lookup timed out',
    'unknown due to temporary failure',
    'could not connect to the user database',
    'the directory server is unreachable',
    'temporary lookup failure',
    'MySQL server unavailable',
    'database error',
    'unable to query the directory',
    'because of an internal error',
    'mailbox locked by another process',
  ];
  for (const failure of failures) {
    test(failure, () => {
      for (const words of beside)
        for (const text of [`${failure}, ${words}`, `${words}: ${failure}`, `${words} (${failure})`])
          for (const head of ['450', '451 4.3.0', '550', '550 5.1.1', '554 5.2.1']) {
            const { label, reason } = classifyReply(readReplyLine(`${head} ${text}`));
            assert.ok(['greylisted_or_temporary', 'other'].includes(label), `${head} ${text}: ${label}`);
            assert.notEqual(reason, 'unknown_for_now', `${head} ${text}`);
          }
    });
  }
});

describe('a limit of the connection, the minute or the sender is not a full mailbox', () => {
  for (const line of [
    '421 4.7.0 Throttling quota exceeded',
    '452 4.3.1 Quota exceeded for this connection',
    '450 The account exceeds the number of messages allowed per minute',
    '550 5.7.1 Mailbox quota exceeded for messages from this sender',
    '452 4.2.2 Session quota reached',
    '450 Quota of this IP address exceeded',
    '550 Recipient quota per hour exceeded',
  ]) {
    test(line, () => {
      const { label } = classifyReply(readReplyLine(line));
      assert.ok(['greylisted_or_temporary', 'blocked_or_policy'].includes(label), label);
    });
  }
});
