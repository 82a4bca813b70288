import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readReplyLine } from '../../../test/support/read-reply-line.ts';
import { classifyReply, createReplyClassifier } from './classify-reply.ts';
import type { ReplyMeaning, ReplyParties } from '../meaning.ts';
import { condemnsMailbox } from '../rules/rule.ts';

const parties: ReplyParties = {
  sender: 'verify@probe.example.org',
  heloName: 'mail.example.org',
  egressAddress: '192.0.2.7',
  recipient: 'someone@example.com',
};

/** Subjects of a sentence that are not the recipient. */
const subjects = listed(`
  Your account, Your address, Your mailbox, Your domain, Your server, Your host name, Your IP, Your mail host,
  Your organization, Your user, Your sending domain, Your email provider, Your mail client, Your ISP, Your company,
  The sender, Sender address, The sender domain, Sender account, The sender mailbox, The sending user, Sending host,
  The envelope sender, MAIL FROM address, From address, The from header address, Reply-To address, The return path,
  The originating address, The source address, The submitting user, The domain of the sender, The sender name,
  The address you send from, The account you are using, The domain you are sending from,
  Client host, The client, The connecting host, The remote host, Client address, The peer, HELO host, HELO name,
  EHLO domain, The IP address, IP 192.0.2.7, [192.0.2.7], PTR record, Reverse DNS, The network, The port,
  TLS, TLSv1.0, SSL, STARTTLS, This cipher, The certificate, Authentication, The password, This relay, The gateway,
  This service, The service, Our mail service, This server, The mail server, This mail system, Our system,
  The message, This message, Your message, Message content, The attachment, The header, The subject,
  This command, The VRFY command, The parameter, This protocol version, The connection, The session, The feature,
  The requested action`);

const predicates = listed(`
  unknown, is unknown, not found, was not found, could not be found, cannot be found, does not exist, did not exist,
  no longer exists, is nonexistent, is not valid, is invalid, is no longer valid, is no longer available,
  is no longer supported, is no longer in use, is no longer accepted, is not available, is unavailable, is not known,
  is not recognized, is not registered, is not listed, is disabled, disabled, has been disabled, is suspended,
  has been suspended, is inactive, is deactivated, is closed, has expired, was deleted, was removed,
  has been terminated, is blocked, has been locked, is not active, is not allowed, has moved, is undeliverable,
  is unreachable, cannot be verified, is not configured`);

function listed(names: string): string[] {
  return names.split(',').map((name) => name.trim());
}

const codes = [500, 501, 503, 511, 517, 530, 550, 551, 552, 553, 554, 571];
const enhancedCodes = [
  undefined,
  '5.0.0',
  '5.1.0',
  '5.1.1',
  '5.1.2',
  '5.1.3',
  '5.1.6',
  '5.1.10',
  '5.2.0',
  '5.2.1',
];
const endings = [
  '',
  '.',
  '!',
  ', sorry',
  '. Please contact your administrator.',
  ' (see https://help.example/)',
];

const sentence = fc
  .tuple(fc.constantFrom(...subjects), fc.constantFrom(...predicates), fc.constantFrom(...endings))
  .map(([subject, predicate, ending]) => `${subject} ${predicate}${ending}`);
const head = fc.record({
  code: fc.constantFrom(...codes),
  enhanced: fc.constantFrom(...enhancedCodes, '5.4.4', '5.5.0', '5.7.1'),
});

describe('words about anything but the recipient', () => {
  test('never reads as a dead mailbox, whatever subject, predicate and codes', () => {
    fc.assert(
      fc.property(sentence, head, (text, { code, enhanced }) => {
        const { label, reason } = classifyReply({ code, enhanced, text, provider: undefined });
        assert.ok(!condemnsMailbox(label), `${code} ${enhanced} ${text}: ${label} ${reason}`);
      }),
      { numRuns: 3_000 },
    );
  });

  test('not even beside the address of the recipient that the server puts in front', () => {
    fc.assert(
      fc.property(sentence, head, (said, { code, enhanced }) => {
        const text = `<someone@example.com>: ${said}`;
        const { label } = classifyReply({ code, enhanced, text, provider: undefined });
        assert.ok(!condemnsMailbox(label), `${code} ${enhanced} ${text}: ${label}`);
      }),
      { numRuns: 1_000 },
    );
  });

  const seen = [
    '550 This service is no longer available',
    '550 TLSv1.0 is no longer supported',
    '550 HELO host unknown',
    '550 Your account does not exist',
    '550 The address you send from is not valid',
    '550 5.1.1 <someone@example.com> we do not want mail from you',
    '517 Domain does not exist: example.org',
    '501 Invalid domain name',
    '550 You are not a known user of this relay',
    '550 5.1.1 You are unknown to this mailbox',
    '550 5.1.7 <verify@probe.example.org>: Sender address rejected: undeliverable address: host mx.example[192.0.2.1] said: 550 5.1.1 <verify@probe.example.org>: User unknown',
    '554 5.7.1 <mail.example.org[192.0.2.7]>: Client host rejected: host mx.example said: 550 5.1.1 User unknown',
  ];
  for (const line of seen) {
    test(line, () => assert.ok(!condemnsMailbox(classifyReply(readReplyLine(line)).label)));
  }

  test('and what follows of the recipient is still heard', () => {
    for (const line of [
      '550 5.1.1 Message rejected: no such user',
      '550 The message was not delivered because the mailbox does not exist',
      '550 Your message to someone@example.com could not be delivered. The account is unknown.',
      '550 Service says: unknown user',
      '550 The user you are trying to reach does not exist',
      '550 You are not at fault. The mailbox does not exist.',
      '550 5.1.1 The server does not know this user',
      '550 someone@example.com is unknown on this server',
      '550 Mailbox not found, returned to sender',
    ]) {
      assert.equal(classifyReply(readReplyLine(line)).label, 'mailbox_not_exist', line);
    }
  });
});

describe('with the names of both sides', () => {
  const classify = createReplyClassifier(100);
  const meaning = (line: string): ReplyMeaning => {
    const reply = readReplyLine(line);
    const said = classifyReply(reply, parties);
    assert.deepEqual(classify(reply, parties), said);
    return said;
  };

  test('a reply that names us and not the recipient condemns no mailbox', () => {
    for (const line of [
      '550 5.1.1 <verify@probe.example.org>: User unknown in virtual mailbox table',
      '550 5.1.2 mail.example.org: Host unknown',
      '550 5.1.2 Domain not found: probe.example.org',
      '550 5.1.1 no such user (192.0.2.7)',
      '550 5.2.1 verify@probe.example.org is disabled',
    ]) {
      assert.deepEqual(condemnsMailbox(meaning(line).label), false, line);
      assert.notEqual(meaning(line.replace('550 5', '450 4')).reason, 'unknown_for_now', line);
    }
  });

  test('a reply that names the recipient too is about the recipient', () => {
    for (const line of [
      '550 5.1.1 Hi [192.0.2.7], no such address: <someone@example.com>',
      '550 5.1.1 <someone>... User unknown (from verify@probe.example.org)',
      '550 5.1.2 example.com: Host unknown, said to mail.example.org',
    ]) {
      assert.equal(meaning(line).label, 'mailbox_not_exist', line);
    }
  });

  test('words about our names are about us, even beside the recipient', () => {
    for (const line of [
      '550 <someone@example.com>: Recipient address rejected: mail.example.org not found',
      '550 <someone@example.com>: verify@probe.example.org does not exist',
    ]) {
      assert.ok(!condemnsMailbox(meaning(line).label), line);
    }
  });

  test('if sender and recipient share a domain, the domain names neither', () => {
    const reply = readReplyLine('550 5.1.1 no such user at example.com');
    const shared = { ...parties, sender: 'verify@example.com' };
    assert.equal(classifyReply(reply, shared).label, 'mailbox_not_exist');
  });
});
