import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MailboxEvidence, ReadReply } from '../evidence.ts';
import type { ReplyMeaning } from '../replies/meaning.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { rereadEvidence } from './reread-evidence.ts';

const parsed = parseAddress('someone@example.com');
assert.ok(parsed.kind === 'valid');
const { address } = parsed;
const host = canonicalHost('mx.example.com');
assert.ok(host);

const unknownUser: ReplyMeaning = { label: 'mailbox_not_exist', reason: 'unknown_user' };
const refused: ReadReply = { phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user' };

function answered(replies: ReadReply[], meaning: ReplyMeaning): MailboxEvidence & { kind: 'answered' } {
  return { kind: 'answered', host: host!, replies, meaning, catchAll: { kind: 'no', from: 'random_probe' } };
}

test('a prober that takes a complaint about us for an unknown mailbox is not followed', () => {
  const blocked: ReadReply = { ...refused, enhanced: '5.7.1', text: 'Client host blocked using a blocklist' };
  const found = rereadEvidence(answered([blocked], unknownUser), { address });
  assert.equal(found.meaning?.label, 'blocked_or_policy');
});

test('no mailbox is condemned that the prober did not condemn: it knew by what names it spoke', () => {
  const aboutUs: ReplyMeaning = { label: 'blocked_or_policy', reason: 'sender_refused' };
  assert.deepEqual(rereadEvidence(answered([refused], aboutUs), { address }).meaning, aboutUs);
});

test('an acceptance that the replies do not show is none', () => {
  const accepted: ReplyMeaning = { label: 'accepted', reason: 'accepted' };
  assert.equal(rereadEvidence(answered([refused], accepted), { address }).kind, 'no_answer');
  assert.equal(rereadEvidence(answered([], accepted), { address }).kind, 'no_answer');
});

test('a made-up address that was taken makes a catch-all, whatever the prober made of it', () => {
  const taken: ReadReply = { phase: 'rcpt', code: 250, enhanced: undefined, text: 'ok' };
  const evidence = answered([taken, { ...taken, phase: 'random_rcpt' }], {
    label: 'accepted',
    reason: 'accepted',
  });
  const found = rereadEvidence(evidence, { address });
  assert.deepEqual(found.kind === 'answered' && found.catchAll, { kind: 'yes', from: 'random_probe' });
});

test('a reply that was cut short keeps the meaning given by the prober, which read all of it', () => {
  const long: ReadReply = { ...refused, enhanced: undefined, text: 'x'.repeat(200) };
  assert.deepEqual(rereadEvidence(answered([long], unknownUser), { address }).meaning, unknownUser);
});

test('evidence read by our own rules comes out as it was', () => {
  const evidence = answered([refused], unknownUser);
  const found = rereadEvidence(evidence, { address });
  assert.deepEqual(rereadEvidence(found, { address }), found);
  assert.equal(found.meaning?.label, 'mailbox_not_exist');
});

test('that a domain takes nothing is believed only with the greeting that says so, or for an address that needs more', () => {
  const base = { kind: 'no_answer', meaning: undefined, connected: true, host } as const;
  const greeting: ReadReply = { phase: 'banner', code: 521, enhanced: undefined, text: 'takes no mail' };
  const noMail = { ...base, reason: 'hosts_take_no_mail' } as const;
  const reasonOf = (evidence: MailboxEvidence): string | undefined => {
    const read = rereadEvidence(evidence, { address });
    return read.kind === 'no_answer' ? read.reason : undefined;
  };
  assert.equal(reasonOf({ ...noMail, replies: [greeting] }), 'hosts_take_no_mail');
  assert.equal(reasonOf({ ...noMail, replies: [] }), 'protocol_error');
  assert.equal(reasonOf({ ...base, reason: 'no_host_offers_smtputf8', replies: [] }), 'protocol_error');
});
