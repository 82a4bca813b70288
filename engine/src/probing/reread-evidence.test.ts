import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MailboxEvidence, ReadReply } from '../evidence.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { createRereadEvidence } from './reread-evidence.ts';

const parties = {
  sender: 'verify@prober.example',
  heloName: 'mx.prober.example',
  recipient: 'ann@example.com',
};
const refused: ReadReply = { phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user here' };
const host = 'mx.example.com' as CanonicalHost;
const wrong = { label: 'other', reason: 'an older rule' } as const;

function answered(replies: ReadReply[], more: Partial<MailboxEvidence & { kind: 'answered' }> = {}) {
  const catchAll = { kind: 'undetermined', meaning: undefined } as const;
  return {
    kind: 'answered',
    host,
    replies,
    meaning: wrong,
    catchAll,
    ...more,
  } as const satisfies MailboxEvidence;
}

describe('evidence from elsewhere', () => {
  const reread = createRereadEvidence();

  it('means what the rules here say, whatever the prober made of it', () => {
    const read = reread(answered([refused]), parties);
    assert.equal(read.meaning?.label, 'mailbox_not_exist');
  });

  it('a reply that names the prober and not the recipient is about the prober', () => {
    const text = 'unknown user verify@prober.example';
    const read = reread(answered([{ ...refused, text }]), parties);
    assert.notEqual(read.meaning?.label, 'mailbox_not_exist');
  });

  it('what a made-up recipient was told decides anew whether every address is taken', () => {
    const yes: ReadReply = { phase: 'rcpt', code: 250, enhanced: undefined, text: 'OK' };
    const random: ReadReply = { ...refused, phase: 'random_rcpt' };
    const wasYes = { catchAll: { kind: 'yes', from: 'random_probe' } } as const;
    const read = reread(answered([yes, random], wasYes), parties);
    assert.deepEqual(read.kind === 'answered' && read.catchAll, { kind: 'no', from: 'random_probe' });
    const remembered = { catchAll: { kind: 'yes', from: 'memory', ageMs: 1 } } as const;
    const kept = reread(answered([yes], remembered), parties);
    assert.deepEqual(kept.kind === 'answered' && kept.catchAll, remembered.catchAll);
  });

  it('a contrast counts only while the reply gives no reason', () => {
    const read = reread(answered([refused], { contrast: 'like_made_up' }), parties);
    assert.ok(!('contrast' in read));
    const bare: ReadReply = { ...refused, enhanced: undefined, text: 'Rejected' };
    assert.ok('contrast' in reread(answered([bare], { contrast: 'like_made_up' }), parties));
  });

  it('a refusal before the mailbox was named is never about it', () => {
    const early: MailboxEvidence = {
      kind: 'no_answer',
      reason: 'host_refused',
      meaning: { label: 'mailbox_not_exist', reason: 'no_such_user' },
      connected: true,
      host,
      replies: [{ ...refused, phase: 'mail' }],
    };
    assert.equal(reread(early, parties).meaning, undefined);
  });

  it('is printable and short afterwards, and read whole before', () => {
    const text = `${'x '.repeat(200)}\u001b[31m mailbox is full`;
    const full: ReadReply = { phase: 'rcpt', code: 552, enhanced: undefined, text };
    const read = reread(answered([full]), parties);
    assert.equal(read.meaning?.label, 'mailbox_full');
    assert.match(read.replies[0]?.text ?? '', /^[\x20-\x7e]{1,200}$/);
  });
});
