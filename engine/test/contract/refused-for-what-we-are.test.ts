import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { oneHost, startEngine } from '../support/start-engine.ts';

/** Hosts that verify senders and clients and tell at RCPT, in the words they have for unknown recipients. */
const complaints = {
  'a sender that a callout did not find':
    '550 5.1.7 <{sender}>: Sender address rejected: undeliverable address: host mx.probe.test[192.0.2.1] said: 550 5.1.1 <{sender}>: Recipient address rejected: User unknown in virtual mailbox table',
  'our sender, named like an unknown recipient':
    '550 5.1.1 <{sender}>: User unknown in local recipient table',
  'our domain, said not to exist': '550 5.1.2 Domain not found: probe.test',
  'our HELO name beside the recipient': '550 5.1.1 <{recipient}>: probe.test does not exist',
  'our address': '550 5.1.1 no such user for {client}',
};

describe('a living mailbox is not called dead for what a host says of us', () => {
  for (const [what, reply] of Object.entries(complaints)) {
    test(what, async () => {
      const running = await startEngine(
        oneHost('choosy.test', {
          temper: { refusal: { at: 'rcpt', reply } },
          mailboxes: { alive: 'exists' },
        }),
      );
      try {
        const outcome = await running.verify('alive@choosy.test');
        assert.equal(outcome.kind, 'verdict');
        assert.equal(outcome.verdict.status, 'unknown');
      } finally {
        await running.stop();
      }
    });
  }

  test('and a dead one is still called dead where the host names both sides', async () => {
    const reply = '550 5.1.1 <{recipient}>: no such user, said to {sender} at {client}';
    const running = await startEngine(
      oneHost('choosy.test', { temper: { refusal: { at: 'rcpt', reply } }, mailboxes: {} }),
    );
    try {
      const outcome = await running.verify('gone@choosy.test');
      assert.equal(outcome.kind, 'verdict');
      assert.equal(outcome.verdict.status, 'invalid');
    } finally {
      await running.stop();
    }
  });
});
