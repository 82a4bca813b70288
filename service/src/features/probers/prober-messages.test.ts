import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAddress, rereadEvidence, type CanonicalHost, type MailboxEvidence } from '@mailproof/engine';
import { readEvidence, writeEvidence } from './evidence-messages.ts';

type EvidenceMessage = Parameters<typeof readEvidence>[0];

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom('', 'mx.example.com', 'user unknown', '5.1.1'),
);
const label = fc.constantFrom(
  'accepted' as const,
  'mailbox_not_exist' as const,
  'mailbox_full' as const,
  'blocked_or_policy' as const,
  'other' as const,
);
const meaning = fc.record({ label, reason: text });
const reply = fc.record(
  {
    phase: fc.constantFrom('connect' as const, 'rcpt' as const, 'random_rcpt' as const, 'quit' as const),
    code: fc.oneof(fc.constantFrom(250, 450, 550), fc.integer({ min: 0, max: 999 })),
    enhanced: fc.oneof(fc.constantFrom('5.1.1', '2.1.5'), fc.string({ maxLength: 20 })),
    text,
  },
  { requiredKeys: ['phase', 'code', 'text'] },
);
const catchAll = fc.record(
  {
    kind: fc.constantFrom('yes' as const, 'no' as const, 'undetermined' as const),
    from: fc.constantFrom(
      'random_probe' as const,
      'contrast' as const,
      'memory' as const,
      'provider_table' as const,
    ),
    age_ms: fc.nat(),
    meaning,
  },
  { requiredKeys: ['kind'] },
);
/** Whatever the schema lets in. */
const message: fc.Arbitrary<EvidenceMessage> = fc.record(
  {
    kind: fc.constantFrom('answered' as const, 'no_answer' as const),
    host: text,
    replies: fc.array(reply, { maxLength: 4 }),
    meaning,
    catch_all: catchAll,
    contrast: fc.constantFrom('like_made_up' as const, 'unlike_made_up' as const),
    reason: fc.constantFrom('mx_unreachable' as const, 'host_refused' as const, 'host_resting' as const),
    connected: fc.boolean(),
    retry_after_ms: fc.nat(),
  },
  { requiredKeys: ['kind', 'replies'] },
);

const parsed = parseAddress('ann@example.com');
assert.ok(parsed.kind === 'valid');
const { address } = parsed;

describe('evidence from a prober outside', () => {
  it('is read or refused, whatever it says, and what is read can be read again by our own rules', () => {
    fc.assert(
      fc.property(message, (said) => {
        const evidence = readEvidence(said);
        if (evidence === undefined) return;
        const { replies, kind } = rereadEvidence(evidence, { address });
        assert.ok(replies.every(({ code }) => code >= 200 && code < 600));
        assert.ok(kind === 'no_answer' || replies.some(({ phase }) => phase === 'rcpt'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('arrives as it was sent', () => {
    const evidence: MailboxEvidence = {
      kind: 'answered',
      host: 'mx.example.com' as CanonicalHost,
      replies: [{ phase: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user' }],
      meaning: { label: 'mailbox_not_exist', reason: 'user_unknown' },
      catchAll: { kind: 'no', from: 'memory', ageMs: 5 },
    };
    assert.deepEqual(readEvidence(writeEvidence(evidence)), evidence);
  });
});
