import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startWorld, type Temper } from '@mailproof/world';
import { systemClock } from '../../src/clock.ts';
import { createDialer } from '../../src/egress/create-dialer.ts';
import { createRoutes } from '../../src/routes/create-routes.ts';
import { parseCidr } from '../../src/net/parse-cidr.ts';
import { defaultLimits } from '../../src/limits.ts';
import type { EngineMemory, Remembered } from '../../src/memory.ts';
import { createPacer } from '../../src/politeness/create-pacer.ts';
import { createConversationLimiter } from '../../src/politeness/create-conversation-limiter.ts';
import { createLeaseStoreInMemory } from '../support/lease-store-in-memory.ts';
import type { LeaseStore } from '../../src/politeness/lease-store.ts';
import { createPolicyBook } from '../../src/politeness/create-policy-book.ts';
import { defaultPoliteness } from '../../src/politeness/default-politeness.ts';
import { createCatchAllLookups } from '../../src/probing/catch-all-lookups.ts';
import { createCatchAllMemory } from '../../src/probing/catch-all-memory.ts';
import { createProviderBeliefs } from '../../src/probing/provider-beliefs.ts';
import { createHostMemory } from '../../src/probing/host-traits.ts';
import { createProbeScheduler } from '../../src/probing/probe-scheduler.ts';
import type { Visit } from '../../src/probing/pending-probe.ts';
import { canonicalHost } from '../../src/syntax/canonical-host.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';
import { oneHost, openEngine, startEngine } from '../support/start-engine.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

/** Several engines that share one mail host, watched from the other side of the wire. */

const minuteMs = 60_000;
const dayMs = 86_400_000;
const host = canonicalHost('mx.one.test')!;
const target = { host, address: '127.31.0.1' };

type BoardParts = { clock: TestClock; smtpPort: number; store: LeaseStore; dialledAt: number[] };

/** A scheduler over real sockets, with its own pacer, as a process of its own would have. */
function openBoard({ clock, smtpPort, store, dialledAt }: BoardParts) {
  // A conversation takes no virtual time of its own, so no wait for a reply may end by the clock.
  const patient = Object.entries(defaultLimits).map(([name, value]) => [
    name,
    name.endsWith('Ms') ? dayMs : value,
  ]);
  const limits = Object.fromEntries(patient) as typeof defaultLimits;
  const allow = ['127.0.0.0/8'].flatMap((block) => parseCidr(block) ?? []);
  const dialer = createDialer({ port: smtpPort, clock, limits, allow, ownAddresses: () => [] });
  return createProbeScheduler({
    clock,
    limits,
    routes: createRoutes({
      settings: [],
      defaults: { heloName: 'probe.test', mailFrom: 'verify@probe.test' },
      clock,
      wallClock: clock,
      limits,
      heedsBlocks: true,
      dialerFor: () => ({
        counts: dialer.counts,
        dial(to, patience) {
          dialledAt.push(clock.now());
          return dialer.dial(to, patience);
        },
      }),
      onProblem: () => undefined,
    }),
    mailPort: { note: () => undefined },
    starttls: 'demanded',
    policies: createPolicyBook({ pacing: 'on' }),
    hosts: createHostMemory(clock, limits),
    catchAllLookups: createCatchAllLookups(
      createCatchAllMemory(clock, limits),
      createProviderBeliefs({ clock, limits: limits, onProblem: () => undefined }),
    ),
    randomLocalPart: () => 'no-such-user',
    conversationLimiter: createConversationLimiter({ clock, openConversations: 1_000 }),
    pacer: createPacer({
      clock,
      random: () => 0.5,
      backsOff: true,
      onRest: () => undefined,
      leases: { store, onProblem: (message) => assert.fail(message) },
    }),
  });
}

describe('three engines and one mail host', () => {
  for (const lendsAllHosts of [false, true]) {
    const how = lendsAllHosts ? 'where one that is alone has the lease of all hosts' : 'where all take turns';
    test(`meet it as one would, and get every answer, ${how}`, async () => {
      const clock = createTestClock();
      const world = await startWorld(
        { zones: {}, hosts: { [host]: { address: target.address, temper: { catchAll: true } } } },
        { clock },
      );
      try {
        const dialledAt: number[] = [];
        const open = createLeaseStoreInMemory(clock, lendsAllHosts);
        const schedulers = ['one', 'two', 'three'].map((name) =>
          openBoard({ clock, smtpPort: world.smtpPort, store: open(name), dialledAt }),
        );
        const visits: Visit[] = [];
        const addresses = 900;
        for (let n = 0; n < addresses; n += 1) {
          const parsed = parseAddress(`person${n}@d${n % 40}.test`);
          if (parsed.kind === 'invalid') throw new Error('no address');
          const asker = { urgency: 'bulk', account: 'a' } as const;
          const patience = { deadline: Infinity, signal: new AbortController().signal };
          clock.after((n % 9) * 20_000, () => {
            const scheduler = schedulers[n % 3];
            void scheduler
              ?.ask({ address: parsed.address, target, asker }, patience)
              .then((visit) => visits.push(visit));
          });
        }
        const talking = (): number => schedulers.reduce((sum, scheduler) => sum + scheduler.counts().open, 0);
        for (let steps = 0; visits.length < addresses; steps += 1) {
          assert.ok(steps < 1_000_000, `${visits.length} answered`);
          const next = clock.next() ?? Infinity;
          // While the host is being spoken to, the clock moves by small steps only, and not before both sides have
          // seen the same conversations begin and end.
          const isInStep = world.counts.smtp.open === talking();
          if (isInStep && (talking() === 0 || next - clock.now() < 300)) clock.step();
          await new Promise((resolve) => setImmediate(resolve));
        }
        assert.ok(visits.every(({ kind }) => kind === 'answered'));
        assert.ok((world.hosts[host]?.counts.mostOpen ?? 99) <= defaultPoliteness.conversationsPerAddress);
        const gaps = dialledAt.slice(1).map((at, index) => at - (dialledAt[index] ?? 0));
        assert.ok(Math.min(...gaps) >= 1_000, `${Math.min(...gaps)} ms apart`);
        const inMinute = dialledAt.map(
          (start) => dialledAt.filter((at) => at >= start && at < start + minuteMs).length,
        );
        assert.ok(Math.max(...inMinute) <= defaultPoliteness.connectionsPerMinute);
      } finally {
        await world.stop();
      }
    });
  }
});

/** A memory that several engines share: what one learns, the others are told. */
function createMemories(): () => EngineMemory {
  const entries = new Map<string, Remembered>();
  const listeners = new Map<EngineMemory, (entries: Remembered[]) => void>();
  return () => {
    const memory: EngineMemory = {
      load: () => [...entries.values()],
      learn(entry) {
        entries.set(`${entry.kind} ${entry.key}`, entry);
        for (const [other, tell] of listeners) if (other !== memory) tell([structuredClone(entry)]);
      },
      listen: (tell) => void listeners.set(memory, tell),
    };
    return memory;
  };
}

async function askTwoEngines(temper: Temper, emails: [string, string]) {
  const openMemory = createMemories();
  const description = oneHost('list.test', { temper, mailboxes: { alive: 'exists', other: 'exists' } });
  const settings = { pacing: 'on', onProblem: () => undefined } as const;
  const one = await startEngine(description, { ...settings, memory: openMemory() });
  const other = await openEngine(one.world, { ...settings, memory: openMemory() });
  const patience = { deadline: systemClock.now() + 30_000, signal: new AbortController().signal };
  try {
    const outcomes = [await one.verify(emails[0]), await other.verify(emails[1], patience)];
    const reasons = outcomes.map((outcome) =>
      outcome.kind === 'verdict' ? outcome.explanation.reason : outcome.kind,
    );
    return { reasons, world: one.world };
  } finally {
    other.close();
    await one.stop();
  }
}

describe('what one engine learns', () => {
  test('a host that turned one away is left alone by the other', async () => {
    const temper: Temper = { refusal: { at: 'banner', reply: '421 4.3.2 come back later' } };
    const { reasons, world } = await askTwoEngines(temper, ['alive@list.test', 'other@list.test']);
    assert.equal(reasons[1], 'host_defers');
    assert.equal(world.counts.smtp.connections, 1);
  });

  test('a provider that blocks one is left alone by the other', async () => {
    const temper: Temper = {
      refusal: { at: 'banner', reply: '554 5.7.1 blocked for poor reputation, see spamhaus' },
    };
    const { reasons, world } = await askTwoEngines(temper, ['alive@list.test', 'other@list.test']);
    assert.equal(reasons[1], 'reputation_doubted');
    assert.equal(world.counts.smtp.connections, 1);
  });

  test('a domain that takes made-up addresses is known to the other, which asks for none', async () => {
    const { reasons, world } = await askTwoEngines({ catchAll: true }, [
      'alive@list.test',
      'other@list.test',
    ]);
    assert.deepEqual(reasons, ['accepts_every_address', 'accepts_every_address']);
    const randomProbes = world.conversations
      .flatMap(({ lines }) => lines)
      .filter((line) => /^C: RCPT/.test(line) && !/<(?:alive|other)@/.test(line));
    assert.equal(randomProbes.length, 1);
  });
});
