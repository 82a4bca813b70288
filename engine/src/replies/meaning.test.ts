import assert from 'node:assert/strict';
import { test, describe } from 'node:test';
import { readReplyLine } from '../../test/support/read-reply-line.ts';
import { classifyReply } from './classifier/classify-reply.ts';
import {
  replyReasons,
  defersAsUnknown,
  isAboutUs,
  refusesWithoutReason,
  type ReplyMeaning,
} from './meaning.ts';
import { allRules } from './rules/all-rules.ts';

test('every reason a reply may be given is given by a rule, but those the classifier adds itself', () => {
  const given = new Set<string>(allRules.map(({ reason }) => reason));
  const never = replyReasons.filter((reason) => !given.has(reason));
  assert.deepEqual(never, ['accepted', 'deferred_by_gateway', 'not_a_final_reply']);
});

function meaningOf(line: string): ReplyMeaning {
  return classifyReply(readReplyLine(line));
}

describe('refused without a reason', () => {
  const plain = [
    '524 5.2.4 Mailing list expansion problem: <someone@example.com>',
    '550 I cannot deliver mail for <someone@example.com>',
    '550 Rejected',
    '550 5.7.1 <someone@example.com>: Recipient address rejected: Access denied',
    '554 Recipient refused',
    '550 sorry',
    '550 5.0.0 <someone@example.com>... No permit',
  ];
  for (const line of plain) test(line, () => assert.ok(refusesWithoutReason(meaningOf(line))));

  const reasoned = [
    '550 5.1.1 User unknown',
    '550 Access denied to your network',
    '550 not from you',
    '554 5.7.1 Client host rejected: Access denied',
    '550 Mailbox unavailable or access denied',
    '550 5.7.1 refused by local policy',
    '452 4.2.2 over quota',
    '450 try later',
  ];
  for (const line of reasoned) test(`not: ${line}`, () => assert.ok(!refusesWithoutReason(meaningOf(line))));
});

describe('about us', () => {
  const ours = [
    '550 not from you',
    '554 5.7.1 Client host rejected: Access denied',
    '550 Sender verify failed',
    '550 Too many invalid recipients',
    '550 Mailbox unavailable or access denied',
    '530 5.7.0 Must issue a STARTTLS command first',
  ];
  for (const line of ours) test(line, () => assert.ok(isAboutUs(meaningOf(line))));

  for (const line of ['550 5.1.1 User unknown', '550 Rejected', '554 5.7.1 Relay access denied']) {
    test(`not: ${line}`, () => assert.ok(!isAboutUs(meaningOf(line))));
  }
});

describe('deferred as unknown', () => {
  const unknown = [
    '450 4.1.1 <someone@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
    '450 4.1.1 <someone@example.com>: Recipient address rejected: unverified address: host mx.example[192.0.2.1] said: 550 5.1.1 <someone@example.com>: User unknown',
    '451 User unknown',
    '451 4.1.1 No such mailbox',
  ];
  for (const line of unknown) test(line, () => assert.ok(defersAsUnknown(meaningOf(line))));

  const open = [
    '450 4.2.0 <someone@example.com>: Recipient address rejected: Greylisted',
    '450 4.1.1 <someone@example.com>: unverified address: Address verification in progress',
    '450 4.1.1 <someone@example.com>: unverified address: connect to mx.example[192.0.2.1]: Connection refused',
    '450 4.1.1 <someone@example.com>: unverified address: mailbox not found yet',
    '451 Internal resources are temporarily unavailable',
    '451 Recipient temporarily unavailable',
    '450 4.2.1 mailbox is disabled',
    '450 Requested action not taken: mailbox unavailable',
    '451 4.1.8 Domain of sender address verify@example.org does not exist',
    '450 4.7.1 <mail.example.org>: Helo command rejected: Host not found',
    '450 4.7.25 Client host rejected: cannot find your hostname',
    '550 5.1.1 User unknown',
  ];
  for (const line of open) test(`not: ${line}`, () => assert.ok(!defersAsUnknown(meaningOf(line))));
});
