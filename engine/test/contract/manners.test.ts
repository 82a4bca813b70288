import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Temper, WorldDescription } from '@mailproof/world';
import type { EngineSettings } from '../../src/create-engine.ts';
import type { Asker } from '../../src/fair-queue.ts';
import { readPolicyFile } from '../../src/politeness/read-policy-file.ts';
import type { Outcome } from '../../src/verify.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** How much of us a receiver hears, seen from its side. */

const statusOf = (outcome: Outcome): string =>
  outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind;

/** Recipients that were named in all conversations, in order. */
function named({ world }: EngineInWorld): string[] {
  return world.conversations
    .flatMap(({ lines }) => lines)
    .flatMap((line) => /^C: RCPT TO:<([^>]*)>/.exec(line)?.[1] ?? []);
}

async function within<Found>(
  description: WorldDescription,
  settings: Partial<EngineSettings>,
  work: (running: EngineInWorld) => Promise<Found>,
): Promise<Found> {
  const running = await startEngine(description, settings);
  try {
    return await work(running);
  } finally {
    await running.stop();
  }
}

/** Connections as often as the test likes; unknown recipients as by default, or as often. */
function inAHurry(politeness: object = {}) {
  const quick = { connectionsPerSecond: 1_000, connectionsPerMinute: 60_000, ...politeness };
  const read = readPolicyFile(JSON.stringify({ providers: { google: { politeness: quick } } }));
  if (read.kind === 'bad') throw new Error(read.line);
  return read.file;
}

describe('a receiver that counts unknown recipients by client address', () => {
  const living = Array.from({ length: 60 }, (_, n) => `alive${n}`);
  const dead = Array.from({ length: 150 }, (_, n) => `dead${n}`);
  const temper: Temper = {
    bansForUnknown: { perMinute: 45, reply: '550 5.7.1 Your IP address named too many unknown recipients' },
  };
  const description: WorldDescription = {
    zones: { 'tenant.test': { mx: [[10, 'aspmx.l.google.com']] } },
    hosts: {
      'aspmx.l.google.com': {
        temper,
        mailboxes: Object.fromEntries(living.map((name) => [name, 'exists' as const])),
      },
    },
  };
  const asker = (account: string): Asker => ({ urgency: 'bulk', account });

  /** Two clean accounts and a dirty one; the dirty one is left when the clean ones have their answers. */
  const askAll = (policyFile: EngineSettings['policyFile'], leavesDirty = true) =>
    within(description, { pacing: 'on', policyFile, ipProfile: 'private' }, async (running) => {
      const left = new AbortController();
      const options = { asker: asker('dirty'), signal: left.signal, withinMs: 600_000 };
      const dirty = dead.map((name) => running.verify(`${name}@tenant.test`, options));
      const clean = await Promise.all(
        living.map((name, n) =>
          running.verify(`${name}@tenant.test`, { asker: asker(n % 2 === 0 ? 'one' : 'two') }),
        ),
      );
      if (leavesDirty) left.abort(new Error('enough'));
      await Promise.allSettled(dirty);
      const isBanned = running.world.conversations.some(({ lines }) =>
        lines.some((line) => line.includes('too many unknown recipients')),
      );
      const statuses = [...new Set(clean.map(statusOf))];
      return { statuses, isBanned, unknown: named(running).length - living.length };
    });

  test('hears fewer than it bans for, and answers two clean accounts beside a dirty one', async () => {
    const { statuses, isBanned, unknown } = await askAll(inAHurry());
    assert.equal(isBanned, false);
    assert.deepEqual(statuses, ['safe']);
    assert.ok(unknown > 10 && unknown <= 45, `${unknown} unknown recipients`);
  });
  test('would ban us without the brake', async () => {
    const unbraked = { unknownPerMinute: 6_000, manyUnknownPercent: 100, mostUnknownPercent: 100 };
    const { isBanned } = await askAll(inAHurry(unbraked), false);
    assert.equal(isBanned, true);
  });
});

describe('the made-up recipient', () => {
  const mailboxes = { alive: 'exists', full: 'full' } as const;
  const atGoogle: WorldDescription = {
    zones: { 'tenant.test': { mx: [[10, 'aspmx.l.google.com']] } },
    hosts: { 'aspmx.l.google.com': { mailboxes, temper: {} } },
  };
  const isMadeUp = (email: string): boolean => !/^(?:alive|dead|full)/.test(email);

  test('is not named at a provider that counts, if the mailbox is unknown', () =>
    within(atGoogle, {}, async (running) => {
      assert.equal(statusOf(await running.verify('dead@tenant.test')), 'invalid');
      assert.deepEqual(named(running), ['dead@tenant.test']);
    }));
  test('is named there after an acceptance, in the same conversation, and once', () =>
    within(atGoogle, {}, async (running) => {
      assert.equal(statusOf(await running.verify('alive@tenant.test')), 'safe');
      assert.deepEqual(named(running).map(isMadeUp), [false, true]);
      assert.equal(running.world.conversations.length, 1);
      assert.equal(statusOf(await running.verify('alive@tenant.test')), 'safe');
      assert.deepEqual(named(running).map(isMadeUp), [false, true, false]);
    }));
  test('is named there after a "full" in words that are not the provider\'s', () =>
    within(atGoogle, {}, async (running) => {
      assert.equal(statusOf(await running.verify('full@tenant.test')), 'inbox_full');
      assert.deepEqual(named(running).map(isMadeUp), [false, true]);
    }));
  test('is not named there after a "full" in its own words', () => {
    const full =
      "452 4.2.2 The recipient's inbox is out of storage space. https://support.google.com/mail/?p=OverQuotaTemp - gsmtp";
    const host = { mailboxes: { full: { reply: full } }, temper: {} };
    return within({ ...atGoogle, hosts: { 'aspmx.l.google.com': host } }, {}, async (running) => {
      assert.equal(statusOf(await running.verify('full@tenant.test')), 'inbox_full');
      assert.deepEqual(named(running).map(isMadeUp), [false]);
    });
  });
  test('is named beside the first mailbox everywhere else', () =>
    within(oneHost('plain.test', { mailboxes, temper: {} }), {}, async (running) => {
      assert.equal(statusOf(await running.verify('dead@plain.test')), 'invalid');
      assert.deepEqual(named(running).map(isMadeUp), [false, true]);
    }));
});

describe('the same mailbox', () => {
  const description = oneHost('plain.test', { mailboxes: { alive: 'exists' }, temper: { replyDelayMs: 30 } });
  const timesNamed = (running: EngineInWorld): number =>
    named(running).filter((email) => email.startsWith('alive@')).length;

  test('is named once for four calls at once, of whichever accounts, in lists and singles', () =>
    within(description, {}, async (running) => {
      const askers: Asker[] = [
        { urgency: 'single', account: 'one' },
        { urgency: 'single', account: 'one' },
        { urgency: 'single', account: 'two' },
        { urgency: 'bulk', account: 'three' },
      ];
      const outcomes = await Promise.all(
        askers.map((asker) => running.verify('alive@plain.test', { asker })),
      );
      assert.deepEqual(outcomes.map(statusOf), Array(4).fill('safe'));
      assert.equal(timesNamed(running), 1);
    }));
  test('is not named again within ten minutes: the answer is given again with its time', () =>
    within(description, { reuseMs: 600_000 }, async (running) => {
      const before = Date.now();
      const first = await running.verify('alive@plain.test');
      assert.ok(first.kind === 'verdict' && first.explanation.asked_at === undefined);
      const again = await running.verify('alive@plain.test', { asker: { urgency: 'bulk', account: 'two' } });
      assert.ok(again.kind === 'verdict' && again.explanation.asked_at !== undefined);
      assert.deepEqual(again.verdict, first.verdict);
      const askedAt = Date.parse(again.explanation.asked_at);
      assert.ok(askedAt >= before - 1 && askedAt <= Date.now());
      assert.equal(timesNamed(running), 1);
      const fresh = await running.verify('alive@plain.test', { isFresh: true });
      assert.ok(fresh.kind === 'verdict' && fresh.explanation.asked_at === undefined);
      assert.equal(timesNamed(running), 2);
    }));
  test('is named each time if nothing is to be given again', () =>
    within(description, { reuseMs: 0 }, async (running) => {
      await running.verify('alive@plain.test');
      await running.verify('alive@plain.test');
      assert.equal(timesNamed(running), 2);
    }));
});

test('an address that is new begins no more than five connections a second over all hosts', async () => {
  const domains = Array.from({ length: 15 }, (_, n) => `domain${n}.test`);
  const worlds = domains.map((domain) => oneHost(domain, { mailboxes: { alive: 'exists' }, temper: {} }));
  const description: WorldDescription = {
    zones: Object.assign({}, ...worlds.map(({ zones }) => zones)) as WorldDescription['zones'],
    hosts: Object.assign({}, ...worlds.map(({ hosts }) => hosts)) as WorldDescription['hosts'],
  };
  await within(description, { pacing: 'on', ipProfile: 'new' }, async (running) => {
    const startedAt = performance.now();
    const outcomes = await Promise.all(domains.map((domain) => running.verify(`alive@${domain}`)));
    assert.deepEqual([...new Set(outcomes.map(statusOf))], ['safe']);
    assert.equal(running.world.conversations.length, 15);
    // Five at once, and ten more at five a second.
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs >= 1_900, `${tookMs} ms`);
  });
});
