import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { WorldDescription } from '@mailproof/world';
import type { Asker } from '../../src/fair-queue.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createConversationLimiter } from '../../src/politeness/create-conversation-limiter.ts';
import { createPacer } from '../../src/politeness/create-pacer.ts';
import { createPolicyBook } from '../../src/politeness/create-policy-book.ts';
import { readPolicyFile } from '../../src/politeness/read-policy-file.ts';
import { createDomainFacts, createProviderBeliefs } from '../../src/probing/domain-facts.ts';
import { createHostMemory } from '../../src/probing/host-traits.ts';
import type { Visit } from '../../src/probing/pending-probe.ts';
import { createProbeScheduler } from '../../src/probing/probe-scheduler.ts';
import type { RouteDialer } from '../../src/routes/create-route-dialer.ts';
import { createRoutes } from '../../src/routes/create-routes.ts';
import { canonicalHost } from '../../src/syntax/canonical-host.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';
import type { Outcome } from '../../src/verify.ts';
import { scriptedMailHost } from '../support/scripted-mail-host.ts';
import { startEngine } from '../support/start-engine.ts';
import { createTestClock } from '../support/test-clock.ts';

/** The requests of one account, by accident or on purpose, cost the others nothing. */
const noisy: Asker = { urgency: 'bulk', account: 'noisy' };
const quiet: Asker = { urgency: 'single', account: 'quiet' };
const minuteMs = 60_000;

/** The limits as they are by default, and a provider that answers at once, on the virtual clock. */
function setUp() {
  const clock = createTestClock();
  const dialer: RouteDialer = {
    counts: { dialled: 0, forbidden: 0, breaches: 0 },
    dial: () =>
      Promise.resolve({
        kind: 'connected',
        socket: scriptedMailHost((recipient) =>
          recipient.startsWith('alive') ? '250 2.1.5 OK' : '550 5.1.1 The account does not exist',
        ),
      }),
  };
  const scheduler = createProbeScheduler({
    clock,
    limits: defaultLimits,
    routes: createRoutes({
      settings: [],
      defaults: { heloName: 'probe.test', mailFrom: 'verify@probe.test' },
      clock,
      wallClock: clock,
      limits: defaultLimits,
      heedsBlocks: true,
      dialerFor: () => dialer,
      onProblem: () => undefined,
    }),
    mailPort: { note: () => undefined },
    starttls: 'demanded',
    policies: createPolicyBook({ pacing: 'on' }),
    hosts: createHostMemory(clock, defaultLimits),
    facts: createDomainFacts({
      clock,
      limits: defaultLimits,
      beliefs: createProviderBeliefs({ clock, limits: defaultLimits, onProblem: () => undefined }),
    }),
    madeUpLocalPart: () => 'nobody',
    conversationLimiter: createConversationLimiter({
      clock,
      openConversations: defaultLimits.openConversations,
    }),
    pacer: createPacer({
      clock,
      random: () => 0.5,
      sharesEgress: true,
      backsOff: true,
      onRest: () => undefined,
    }),
  });

  async function ask(
    email: string,
    asker: Asker,
    withinMs: number,
  ): Promise<{ visit: Visit; afterMs: number }> {
    const host = canonicalHost('gmail-smtp-in.l.google.com');
    const parsed = parseAddress(email);
    if (host === undefined || parsed.kind === 'invalid') throw new Error(email);
    const askedAt = clock.now();
    const visit = await scheduler.ask(
      { address: parsed.address, target: { host, address: '192.0.2.1' }, asker },
      { deadline: askedAt + withinMs, signal: new AbortController().signal },
    );
    return { visit, afterMs: clock.now() - askedAt };
  }

  /** Lets time pass until everything that was asked is answered. */
  async function passUntil<Found>(asked: Promise<Found>): Promise<Found> {
    const done = { all: false };
    void asked.then(() => (done.all = true));
    await nextRound();
    while (!done.all) {
      clock.step();
      await nextRound();
    }
    return asked;
  }
  return { clock, ask, passUntil };
}

const dead = (count: number) => Array.from({ length: count }, (_, n) => `dead${n}@gmail.com`);
const statusOf = ({ visit }: { visit: Visit }): string =>
  visit.kind === 'answered' ? visit.evidence.meaning.label : visit.kind;

describe('dead addresses of one account at one provider', () => {
  test("a hundred all get their answer within the task's deadline", async () => {
    const { ask, passUntil } = setUp();
    const answers = await passUntil(Promise.all(dead(100).map((email) => ask(email, noisy, 30 * minuteMs))));
    assert.deepEqual([...new Set(answers.map(statusOf))], ['mailbox_not_exist']);
    const slowest = Math.max(...answers.map(({ afterMs }) => afterMs));
    assert.ok(slowest > 2 * minuteMs, `the account is slowed down, not done after ${slowest} ms`);
  });

  test("another account's question is answered as if they were not there", async () => {
    const { clock, ask, passUntil } = setUp();
    const alone = await passUntil(ask('alive@gmail.com', quiet, 30_000));
    clock.advance(minuteMs);
    const noise = Promise.all(dead(1_000).map((email) => ask(email, noisy, 30 * minuteMs)));
    const beside: Promise<{ visit: Visit; afterMs: number }>[] = [];
    for (let second = 100; second < 700; second += 60)
      clock.after(second * 1_000, () => void beside.push(ask(`alive${second}@gmail.com`, quiet, 30_000)));
    await passUntil(noise);
    const answers = await Promise.all(beside);
    assert.equal(answers.length, 10);
    assert.deepEqual([...new Set(answers.map(statusOf))], ['accepted']);
    const slowest = Math.max(...answers.map(({ afterMs }) => afterMs));
    assert.ok(slowest <= alone.afterMs + 2_000, `${slowest} ms beside, ${alone.afterMs} ms alone`);
  });

  test('its own single question that would come too late is answered at once, with the time to come back', async () => {
    const { clock, ask, passUntil } = setUp();
    void Promise.all(dead(1_000).map((email) => ask(email, noisy, 30 * minuteMs)));
    const later = Promise.withResolvers<Awaited<ReturnType<typeof ask>>>();
    clock.after(200_000, () => {
      const impatient = { ...noisy, urgency: 'single' } as const;
      later.resolve(ask('alive@gmail.com', impatient, 1_000));
    });
    const { visit, afterMs } = await passUntil(later.promise);
    assert.ok(visit.kind === 'resting' && visit.reason === 'many_unknown', JSON.stringify(visit));
    assert.equal(afterMs, 0);
    assert.ok(visit.forMs !== undefined && visit.forMs > 1_000 && visit.forMs <= minuteMs);
  });
});

/** Tenants of one provider, whose hosts are told apart by the domain. */
function tenants(hosts: Record<string, WorldDescription['hosts'][string]>): WorldDescription {
  const named = Object.entries(hosts).map(([domain, host]) => {
    const name = `${domain.replaceAll('.', '-')}.mail.protection.outlook.com`;
    return { domain, name, host };
  });
  return {
    zones: Object.fromEntries(
      named.map(({ domain, name }) => [domain, { mx: [[10, name]] as [number, string][] }]),
    ),
    hosts: Object.fromEntries(named.map(({ name, host }) => [name, host])),
  };
}

/** The provider may be connected to as often as the test likes; everything else is paced as ever. */
function inAHurry() {
  const politeness = { connectionsPerSecond: 1_000, connectionsPerMinute: 60_000, unknownPerMinute: 6_000 };
  const read = readPolicyFile(JSON.stringify({ providers: { microsoft: { politeness } } }));
  if (read.kind === 'bad') throw new Error(read.line);
  return read.file;
}

const summary = (outcome: Outcome): string =>
  outcome.kind === 'verdict' ? `${outcome.verdict.status} ${outcome.explanation.reason}` : outcome.kind;

describe('a provider with many tenants', () => {
  test("is asked on for other accounts after seventy dead addresses of one account at one tenant's", async () => {
    const world = tenants({ 'one.test': {}, 'two.test': { mailboxes: { alive: 'exists' } } });
    const running = await startEngine(world, { pacing: 'on', policyFile: inAHurry() });
    const stopped = new AbortController();
    try {
      const answered: string[] = [];
      const fifty = Promise.withResolvers<string[]>();
      const asked = Array.from({ length: 70 }, async (_, n) => {
        const signal = stopped.signal;
        answered.push(summary(await running.verify(`dead${n}@one.test`, { asker: noisy, signal })));
        if (answered.length === 50) fifty.resolve([...answered]);
      });
      assert.deepEqual([...new Set(await fifty.promise)], ['invalid user_unknown']);
      assert.equal(
        summary(await running.verify('alive@two.test', { asker: quiet })),
        'safe mailbox_accepted',
      );
      assert.equal(
        summary(await running.verify('gone@one.test', { asker: quiet })),
        'invalid user_unknown',
        'even at the same tenant',
      );
      assert.deepEqual(running.engine.health().resting, []);
      stopped.abort();
      await Promise.allSettled(asked);
    } finally {
      await running.stop();
    }
  });

  test('rests for no account after five domains for which it denies to relay', async () => {
    const reply = '550 5.7.64 TenantAttribution; Relay Access Denied [mx.test]';
    const denied = Array.from({ length: 10 }, (_, n) => `denied${n}.test`);
    const world = tenants({
      ...Object.fromEntries(
        denied.map((domain) => [domain, { temper: { refusal: { at: 'rcpt', reply } as const } }]),
      ),
      'two.test': { mailboxes: { alive: 'exists' } },
    });
    const running = await startEngine(world, { pacing: 'on', policyFile: inAHurry() });
    try {
      for (const domain of denied) {
        const outcome = await running.verify(`somebody@${domain}`, { asker: noisy });
        assert.equal(summary(outcome), 'unknown relaying_denied');
      }
      assert.deepEqual(running.engine.health().resting, []);
      assert.equal(
        summary(await running.verify('alive@two.test', { asker: quiet })),
        'safe mailbox_accepted',
      );
    } finally {
      await running.stop();
    }
  });

  test('rests where it complains about us to recipients of several domains, and the answers say for how long', async () => {
    const reply = '550 5.7.1 Access denied, sending IP [{client}] has a bad reputation';
    const refusing = Array.from({ length: 5 }, (_, n) => `banned${n}.test`);
    const world = tenants(
      Object.fromEntries(
        refusing.map((domain) => [domain, { temper: { refusal: { at: 'rcpt', reply } as const } }]),
      ),
    );
    const lines: string[] = [];
    const running = await startEngine(world, {
      pacing: 'on',
      policyFile: inAHurry(),
      onProblem: (line) => lines.push(line),
    });
    try {
      for (const domain of refusing) await running.verify(`somebody@${domain}`, { asker: noisy });
      const outcome = await running.verify('somebody@banned0.test', { asker: quiet });
      assert.equal(summary(outcome), 'unknown provider_refuses_us');
      assert.ok(outcome.kind === 'verdict');
      const { after_seconds: afterSeconds = 0 } = outcome.explanation.retry;
      assert.ok(afterSeconds > 3_500 && afterSeconds <= 3_961, `${afterSeconds} s`);
      assert.equal(lines.length, 1, lines.join('\n'));
    } finally {
      await running.stop();
    }
  });
});
