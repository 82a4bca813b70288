import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createReplyClassifier } from '../replies/classifier/classify-reply.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { conclude, heardOfMadeUp, templateOf, type Facts, type Line } from './conclude.ts';

/**
 * The rules of `conclude` as a table: a transcript in, a conclusion out. A row is one rule, with the program or
 * provider that taught it. A line reads `conversation:place recipient reply`; `?` is the made-up recipient,
 * `postmaster` a privileged one, and a short word stands for a reply of `said`.
 */
const said: Record<string, string> = {
  yes: '250 2.1.5 Ok',
  no_such: '550 5.1.1 User unknown',
  bare: '550 Rejected',
  other_bare: '550 Recipient not accepted here',
  full: '552 5.2.2 Quota exceeded (mailbox for user is full)',
  disabled: '550 5.2.1 This mailbox is disabled and does not accept messages',
  later: '450 4.2.0 Greylisted, try again later',
  soft: '450 4.1.1 Recipient address rejected: User unknown in virtual mailbox table',
  relay: '550 5.7.1 Relaying denied',
  blocked: '554 5.7.1 Client host blocked using zen.spamhaus.org',
  network: '550 5.4.4 Rejected',
};

const classify = createReplyClassifier(100);

function linesOf(transcript: string): Line[] {
  return transcript
    .split(/\s*,\s*/)
    .filter((part) => part !== '')
    .map(lineOf);
}

function lineOf(part: string): Line {
  const [at = '', who = '', word = ''] = part.split(' ');
  const [conversation = 0, place = 0] = at.split(':').map(Number);
  const recipient = who === '?' ? 'made_up' : 'target';
  const email = `${who === '?' ? 'made.up77' : who}@odd.test`;
  const [, code = '', enhanced, text = ''] = /^(\d{3}) (?:(\d\.\d\.\d) )?(.*)$/.exec(said[word] ?? '') ?? [];
  const phase = recipient === 'made_up' ? 'random_rcpt' : 'rcpt';
  const read = { phase, code: Number(code), enhanced, text } as const;
  const meaning = classify({ code: Number(code), enhanced, text, provider: undefined });
  const domain = 'odd.test' as CanonicalHost;
  return { conversation, place, recipient, domain, email, said: { meaning, read, text } };
}

type Row = {
  rule: string;
  who?: string;
  heard: string;
  known?: Facts['known'];
  ownWords?: boolean;
  says: string;
};

const takesAll: Facts['known'] = { answer: { kind: 'yes', from: 'memory' } };
const refusesUnknown: Facts['known'] = { answer: { kind: 'no', from: 'memory' } };
const refusesBare: Facts['known'] = { ...refusesUnknown, refusedAs: templateOf(lineOf('1:1 ? bare')) };

/** Writes a conclusion as `label catch-all contrast doubt`, without those that are absent. */
function told({ heard, known, ownWords = false, who = 'ada' }: Row): string {
  const found = conclude(`${who}@odd.test`, linesOf(heard), { known, hasOwnWords: ownWords });
  if (found === undefined) return 'not answered';
  const { meaning, catchAll, contrast, doubt } = found;
  const first = doubt === undefined ? [] : [`ask:${Object.values(doubt).join('+')}`];
  return [meaning.label, catchAll.kind, ...(contrast === undefined ? [] : [contrast]), ...first].join(' ');
}

const rows: Record<string, Row[]> = {
  'a reason decides alone': [
    { rule: 'Postfix: 5.1.1', heard: '1:1 ada no_such', says: 'mailbox_not_exist undetermined' },
    { rule: 'not answered', heard: '1:1 bob yes, 1:2 ? no_such', says: 'not answered' },
    {
      rule: 'greylisting is no answer',
      heard: '1:1 ada later, 1:2 ? no_such',
      says: 'greylisted_or_temporary no',
    },
    {
      rule: 'a later answer outweighs a deferral: Postgrey',
      heard: '1:1 ada later, 2:1 ada yes, 2:2 ? no_such',
      says: 'accepted no',
    },
  ],
  'a yes is worth the no to a made-up recipient': [
    { rule: 'Postfix', heard: '1:1 ada yes, 1:2 ? no_such', says: 'accepted no' },
    { rule: 'Yahoo', heard: '1:1 ada yes, 1:2 ? yes', says: 'accepted yes' },
    { rule: 'a domain with an alias for all', heard: '1:1 ada yes', known: takesAll, says: 'accepted yes' },
    { rule: 'remembered', heard: '1:1 ada yes', known: refusesUnknown, says: 'accepted no' },
    {
      rule: 'heard outweighs remembered: a host that begins to take all',
      heard: '1:1 ada yes, 1:2 ? yes',
      known: refusesUnknown,
      says: 'accepted yes',
    },
    {
      rule: 'nothing heard of a made-up one outweighs nothing remembered',
      heard: '1:1 ada yes, 1:2 ? later',
      known: refusesUnknown,
      says: 'accepted no',
    },
    {
      rule: 'not asked yet: any conversation will do',
      heard: '1:1 ada yes',
      says: 'accepted undetermined ask:anyone',
    },
    { rule: 'greylisting, Mimecast', heard: '1:1 ada yes, 1:2 ? later', says: 'accepted undetermined' },
    { rule: 'about us, a block list', heard: '1:1 ada yes, 1:2 ? blocked', says: 'accepted undetermined' },
    {
      rule: 'taken and refused as unknown: neither, a pool behind one address',
      heard: '1:1 ada yes, 1:2 ? no_such, 2:1 ? yes',
      says: 'accepted undetermined',
    },
  ],
  'a made-up recipient refused without a reason is asked for first in a new conversation': [
    {
      rule: 'OpenSMTPD, Haraka',
      heard: '1:1 ada yes, 1:2 ? bare',
      says: 'accepted undetermined ask:made_up',
    },
    {
      rule: 'Postfix with soft_bounce',
      heard: '1:1 ada yes, 1:2 ? soft',
      says: 'accepted undetermined ask:made_up',
    },
    { rule: 'relaying denied', heard: '1:1 ada yes, 1:2 ? relay', says: 'accepted undetermined ask:made_up' },
    {
      rule: 'a state of the network, RFC 3463 x.4',
      heard: '1:1 ada yes, 1:2 ? network',
      says: 'accepted undetermined',
    },
    {
      rule: 'refused there again, and the mailbox accepted after it',
      heard: '1:1 ada yes, 1:2 ? bare, 2:1 ? bare, 2:2 ada yes',
      says: 'accepted no',
    },
    {
      rule: 'QQ refuses every second recipient',
      heard: '1:1 ada yes, 1:2 ? bare, 2:1 ? yes, 2:2 ada bare',
      says: 'accepted yes',
    },
    {
      rule: 'GoDaddy refuses everybody after a refusal',
      heard: '1:1 ada yes, 1:2 ? bare, 2:1 ? bare, 2:2 ada bare',
      says: 'accepted undetermined',
    },
    {
      rule: 'a host that refuses every first recipient',
      heard: '1:1 bob bare, 1:2 ada yes, 1:3 ? bare, 2:1 ? bare, 2:2 ada yes',
      says: 'accepted undetermined',
    },
    {
      rule: 'Exim takes postmaster before all checks',
      heard: '1:1 ada yes, 1:2 ? bare, 2:1 ? bare, 2:2 postmaster yes',
      says: 'accepted undetermined',
    },
    {
      rule: 'accepted after it only as the second: a limit of two, Rejected to the third',
      heard: '1:1 ada yes, 1:2 ? bare, 1:3 bob yes',
      says: 'accepted undetermined ask:made_up',
    },
    {
      rule: 'accepted in another conversation: a host that is busy for a while',
      heard: '1:1 ada yes, 1:2 ? bare, 2:1 ? bare, 2:2 ada bare, 3:1 bob bare, 3:2 ada yes',
      says: 'accepted undetermined',
    },
    {
      rule: 'accepted before it: a limit of one',
      heard: '1:1 ada yes, 1:2 ? bare, 2:1 ? bare, 2:2 ada bare',
      says: 'accepted undetermined',
    },
    {
      rule: 'postmaster leaves it to another: Exim',
      who: 'postmaster',
      heard: '1:1 postmaster yes, 1:2 ada yes, 1:3 ? bare',
      says: 'accepted undetermined ask:another',
    },
    {
      rule: 'postmaster alone',
      who: 'postmaster',
      heard: '1:1 postmaster yes, 1:2 ? bare',
      says: 'accepted undetermined',
    },
    {
      rule: 'one that speaks of us in between shows nothing',
      heard: '1:1 ada yes, 1:2 ? blocked, 2:1 ? bare, 2:2 ada yes',
      says: 'accepted undetermined',
    },
  ],
  'refused without a reason, if made-up recipients are refused so': [
    {
      rule: 'first in a new conversation, an ordinary one accepted after it: Haraka',
      heard: '1:1 ada bare, 2:1 ada bare, 2:2 bob yes',
      known: refusesBare,
      says: 'blocked_or_policy no like_made_up',
    },
    {
      rule: 'asked for first before it counts: N distinct recipients a conversation',
      heard: '1:1 bob yes, 1:2 ada bare',
      known: refusesBare,
      says: 'blocked_or_policy no ask:target+ordinary',
    },
    {
      rule: 'nobody accepted after it',
      heard: '1:1 ada bare',
      known: refusesBare,
      says: 'blocked_or_policy no ask:target+ordinary',
    },
    {
      rule: 'other words',
      heard: '1:1 ada other_bare, 1:2 bob yes',
      known: refusesBare,
      says: 'blocked_or_policy no',
    },
    {
      rule: 'in the words of a second place, not in those of the first: a limit of one',
      heard: '1:1 bob yes, 1:2 ? bare, 1:3 ada bare, 2:1 ? other_bare, 2:2 bob yes',
      says: 'blocked_or_policy no',
    },
    {
      rule: 'the template was heard here: the made-up one was first',
      heard: '1:1 bob yes, 1:2 ? bare, 2:1 ? bare, 2:2 bob yes, 3:1 ada bare, 3:2 bob yes',
      says: 'blocked_or_policy no like_made_up',
    },
    {
      rule: 'an ordinary one accepted after it, but it was second itself',
      heard: '1:1 bob yes, 1:2 ada bare, 1:3 eve yes',
      known: refusesBare,
      says: 'blocked_or_policy no ask:target+ordinary',
    },
    {
      rule: 'not proved though the made-up one was first: a host that refuses everybody after a refusal',
      heard: '1:1 bob yes, 1:2 ? bare, 1:3 ada bare, 2:1 ? bare, 2:2 bob bare',
      says: 'blocked_or_policy undetermined',
    },
    {
      rule: 'other words the second time',
      heard: '1:1 ada bare, 2:1 ada other_bare, 2:2 bob yes',
      known: refusesBare,
      says: 'blocked_or_policy no',
    },
    {
      rule: 'made-up recipients are refused with a reason here: a limit of recipients',
      heard: '1:1 ada bare, 1:2 bob yes, 1:3 ? no_such',
      says: 'blocked_or_policy no',
    },
    {
      rule: 'not yet proved: another mailbox of the list shows it',
      heard: '1:1 bob yes, 1:2 ? bare, 1:3 ada bare',
      says: 'blocked_or_policy undetermined ask:another',
    },
    {
      rule: 'no mailbox to compare with',
      heard: '1:1 ada bare, 1:2 ? bare',
      says: 'blocked_or_policy undetermined',
    },
    {
      rule: 'postmaster is none to compare with: Exim',
      heard: '1:1 postmaster yes, 1:2 ? bare, 1:3 ada bare',
      says: 'blocked_or_policy undetermined',
    },
  ],
  'refused without a reason, if made-up recipients are taken': [
    {
      rule: 'first in a conversation, the made-up one accepted after it, and a first one accepted',
      heard: '1:1 ada bare, 1:2 ? yes, 2:1 ? yes, 2:2 ada bare',
      says: 'blocked_or_policy yes unlike_made_up',
    },
    {
      rule: 'second, and the made-up one accepted after it: yes-no-no-yes',
      heard: '1:1 bob yes, 1:2 ada bare, 1:3 ? yes',
      says: 'blocked_or_policy yes ask:target+made_up',
    },
    {
      rule: 'no first one was accepted',
      heard: '1:1 ada bare, 1:2 ? yes',
      says: 'blocked_or_policy yes ask:made_up',
    },
    {
      rule: 'a host that refuses every first recipient',
      heard: '1:1 ada bare, 1:2 ? yes, 2:1 ? bare, 2:2 ada bare',
      says: 'blocked_or_policy yes',
    },
    {
      rule: 'it was second: a limit of one',
      heard: '1:1 ? yes, 1:2 ada bare',
      says: 'blocked_or_policy yes ask:target+made_up',
    },
    {
      rule: 'remembered',
      heard: '1:1 ada bare',
      known: takesAll,
      says: 'blocked_or_policy yes ask:target+made_up',
    },
    {
      rule: 'other words the second time',
      heard: '1:1 ada bare, 1:2 ? yes, 2:1 ? yes, 2:2 ada other_bare',
      says: 'blocked_or_policy yes',
    },
  ],
  '"full" and "disabled" describe the mailbox only if a made-up recipient does not hear the same': [
    { rule: 'Dovecot', heard: '1:1 ada full, 1:2 ? no_such', says: 'mailbox_full no' },
    { rule: 'Dovecot', heard: '1:1 ada disabled, 1:2 ? yes', says: 'mailbox_disabled yes' },
    {
      rule: 'a full disk',
      heard: '1:1 ada full, 1:2 ? full',
      says: 'mailbox_full undetermined same_as_made_up',
    },
    {
      rule: 'an account that was closed as a whole',
      heard: '1:1 ada disabled, 1:2 ? disabled',
      says: 'mailbox_disabled undetermined same_as_made_up',
    },
    {
      rule: 'not in the same conversation',
      heard: '1:1 ? no_such, 2:1 ada full',
      says: 'mailbox_full no not_compared ask:anyone',
    },
    {
      rule: 'the made-up one refused without a reason, a full disk behind a limit of one: places are exchanged',
      heard: '1:1 ada full, 1:2 ? bare',
      says: 'mailbox_full undetermined not_compared ask:made_up+target',
    },
    {
      rule: 'the made-up one put off in its transaction: Exchange',
      heard: '1:1 ada full, 1:2 ? later',
      says: 'mailbox_full undetermined not_compared ask:made_up+target',
    },
    {
      rule: 'full too when it is first',
      heard: '1:1 ada full, 1:2 ? bare, 2:1 ? full, 2:2 ada bare',
      says: 'mailbox_full undetermined same_as_made_up',
    },
    {
      rule: 'Haraka, with a full mailbox',
      heard: '1:1 ada full, 1:2 ? bare, 2:1 ? bare, 2:2 ada full',
      says: 'mailbox_full undetermined',
    },
    {
      rule: 'not full again after it: full for a moment',
      heard: '1:1 ada full, 1:2 ? bare, 2:1 ? bare, 2:2 ada bare',
      says: 'mailbox_full undetermined not_compared',
    },
    {
      rule: 'the mailbox was never first',
      heard: '1:1 bob yes, 1:2 ada full, 1:3 ? bare, 2:1 ? bare, 2:2 ada full',
      says: 'mailbox_full undetermined not_compared ask:target+made_up',
    },
    {
      rule: 'deferred when it is first: greylisting',
      heard: '1:1 ada full, 1:2 ? later, 2:1 ? later, 2:2 ada full',
      says: 'mailbox_full undetermined not_compared',
    },
    {
      rule: "a provider's own words",
      heard: '1:1 ada full',
      ownWords: true,
      says: 'mailbox_full undetermined',
    },
  ],
  'a host that says two things of one mailbox has said nothing': [
    {
      rule: 'accepted, then unknown',
      heard: '1:1 ada yes, 1:2 ? no_such, 2:1 ada no_such',
      says: 'accepted no contradictory',
    },
    {
      rule: 'full, then accepted',
      heard: '1:1 ada full, 1:2 ? no_such, 2:1 ada yes',
      says: 'mailbox_full no contradictory',
    },
  ],
};

for (const [rule, table] of Object.entries(rows))
  describe(rule, () => {
    for (const row of table) test(`${row.rule}: ${row.heard}`, () => assert.equal(told(row), row.says));
  });

test('a made-up recipient that was not named says nothing', () => {
  assert.equal(heardOfMadeUp(linesOf('1:1 ada yes')), undefined);
});

test('two replies that differ only in the recipient are of one template', () => {
  const [one, other] = ['ada', 'bob'].map((name) => {
    const line = lineOf(`1:1 ${name} bare`);
    return { ...line, said: { ...line.said, text: `No delivery for <${line.email}> (${name})` } };
  });
  assert.ok(one && other);
  assert.equal(templateOf(one), templateOf(other));
});
