import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Temper } from '@mailproof/world';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** The cost of a verification for the network, counted by the world and not by us. */

const allowedVerbs = new Set(['EHLO', 'HELO', 'STARTTLS', 'MAIL', 'RCPT', 'RSET', 'QUIT']);

async function inWorld(temper: Temper, work: (running: EngineInWorld) => Promise<void>): Promise<void> {
  const running = await startEngine(
    oneHost('plain.test', { temper, mailboxes: { alive: 'exists', other: 'exists' } }),
  );
  try {
    await work(running);
    assert.deepEqual(running.world.violations, []);
    for (const verb of Object.keys(running.world.counts.smtp.commands))
      assert.ok(allowedVerbs.has(verb), verb);
  } finally {
    await running.stop();
  }
}

async function statusOf(running: EngineInWorld, email: string): Promise<string> {
  const outcome = await running.verify(email);
  return outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;
}

describe('a first verification', () => {
  test('costs 2 DNS and 4 SMTP round trips with PIPELINING', () =>
    inWorld({}, async (running) => {
      assert.equal(await statusOf(running, 'alive@plain.test'), 'safe');
      const { dns, smtp } = running.world.counts;
      assert.equal(dns.waves, 2);
      assert.equal(dns.queries, 2);
      assert.equal(smtp.connections, 1);
      assert.equal(smtp.roundTrips, 4);
      assert.deepEqual(smtp.commands, { EHLO: 1, MAIL: 1, RCPT: 2, QUIT: 1 });
    }));

  test('costs 2 DNS and at most 6 SMTP round trips without PIPELINING', () =>
    inWorld({ pipelining: false }, async (running) => {
      assert.equal(await statusOf(running, 'alive@plain.test'), 'safe');
      assert.equal(running.world.counts.dns.waves, 2);
      assert.equal(running.world.counts.smtp.roundTrips, 6);
    }));
});

describe('a second verification at the same domain', () => {
  test('costs no DNS, and does not ask for a made-up address again', () =>
    inWorld({}, async (running) => {
      await running.verify('alive@plain.test');
      running.world.reset();
      assert.equal(await statusOf(running, 'other@plain.test'), 'safe');
      assert.equal(running.world.counts.dns.queries, 0);
      assert.deepEqual(running.world.counts.smtp.commands, { EHLO: 1, MAIL: 1, RCPT: 1, QUIT: 1 });
      assert.equal(running.world.counts.smtp.roundTrips, 4);
    }));

  test('goes straight to TLS where the host demanded it', () =>
    inWorld({ starttls: 'demanded' }, async (running) => {
      assert.equal(await statusOf(running, 'alive@plain.test'), 'safe');
      running.world.reset();
      assert.equal(await statusOf(running, 'other@plain.test'), 'safe');
      assert.deepEqual(running.world.counts.smtp.commands, {
        EHLO: 2,
        STARTTLS: 1,
        MAIL: 1,
        RCPT: 1,
        QUIT: 1,
      });
    }));

  test('asks one recipient a transaction where the host takes no more', () =>
    inWorld({ recipientsPerTransaction: 1 }, async (running) => {
      assert.equal(await statusOf(running, 'alive@plain.test'), 'safe');
      assert.deepEqual(running.world.counts.smtp.commands, { EHLO: 1, MAIL: 2, RCPT: 3, RSET: 1, QUIT: 1 });
      running.world.reset();
      assert.equal(await statusOf(running, 'nobody@plain.test'), 'invalid');
      assert.deepEqual(running.world.counts.smtp.commands, { EHLO: 1, MAIL: 1, RCPT: 1, QUIT: 1 });
    }));
});

test('a verdict that needs no mail host contacts none', async () => {
  const running = await startEngine({
    zones: { 'null.test': { mx: [[0, '.']] }, 'mailinator.com': { mx: [[10, 'mx.plain.test']] } },
    hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists' } } },
  });
  try {
    assert.equal(await statusOf(running, 'a@null.test'), 'invalid');
    assert.equal(await statusOf(running, 'a@nowhere.test'), 'invalid');
    assert.equal(await statusOf(running, 'a@mailinator.com'), 'disposable');
    assert.equal(running.world.counts.smtp.connections, 0);
  } finally {
    await running.stop();
  }
});
