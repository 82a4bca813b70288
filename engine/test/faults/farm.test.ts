import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startWorld, type Conversation, type HostDescription, type World } from '@mailproof/world';
import { createDialer } from '../../src/egress/create-dialer.ts';
import { createRoutes } from '../../src/routes/create-routes.ts';
import { parseCidr, networkOf } from '../../src/ip-address.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createPacer } from '../../src/politeness/create-pacer.ts';
import { createConversationLimiter } from '../../src/politeness/create-conversation-limiter.ts';
import { createPolicyBook } from '../../src/politeness/create-policy-book.ts';
import { defaultPoliteness } from '../../src/politeness/built-in-policies.ts';
import { createDomainFacts, createProviderBeliefs } from '../../src/probing/domain-facts.ts';
import { createHostMemory } from '../../src/probing/host-traits.ts';
import { createProbeScheduler, type ProbeScheduler } from '../../src/probing/probe-scheduler.ts';
import type { Visit } from '../../src/probing/pending-probe.ts';
import { canonicalHost } from '../../src/syntax/canonical-host.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

/**
 * A farm of fifty mail hosts, a day of the virtual clock, twenty thousand addresses: the table of
 * politeness, watched from the other side of the wire. Sockets are real; only time is not.
 */
const hosts = 50;
const addresses = 20_000;
const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Of every ten hosts: six live alone, two share a group, one turns every client away, one is dead. */
type Kind = 'alone' | 'shared' | 'defers' | 'dead';
const kinds: Kind[] = [
  'alone',
  'alone',
  'alone',
  'alone',
  'alone',
  'alone',
  'shared',
  'shared',
  'defers',
  'dead',
];
const kindOf = (index: number): Kind => kinds[index % kinds.length] ?? 'alone';
const hostOf = (index: number): string =>
  kindOf(index) === 'shared' ? `mx${index}.shared.test` : `mx.farm${index}.test`;
const addressOf = (index: number): string =>
  `127.30.${kindOf(index) === 'shared' ? 200 : index}.${index + 1}`;

function describeHost(index: number): HostDescription {
  const address = addressOf(index);
  switch (kindOf(index)) {
    case 'alone':
    case 'shared':
      return { address, temper: { catchAll: true } };
    case 'defers':
      return { address, temper: { refusal: { at: 'banner', reply: '421 4.3.2 Try again later' } } };
    case 'dead':
      return { address, temper: { dead: true } };
  }
}

type Farm = {
  world: World;
  clock: TestClock;
  scheduler: ProbeScheduler;
  dialledAt: Map<string, number[]>;
  visits: Visit[];
};

async function startFarm(): Promise<Farm> {
  const clock = createTestClock();
  const world = await startWorld(
    {
      zones: {},
      hosts: Object.fromEntries(Array.from({ length: hosts }, (_, i) => [hostOf(i), describeHost(i)])),
    },
    { clock },
  );
  // A conversation takes no virtual time of its own, so no wait for a reply may end by the clock.
  const patient = Object.entries(defaultLimits).map(([name, value]) => [
    name,
    name.endsWith('Ms') ? dayMs : value,
  ]);
  const limits = Object.fromEntries(patient) as typeof defaultLimits;
  const allow = ['127.0.0.0/8'].flatMap((block) => parseCidr(block) ?? []);
  const dialer = createDialer({ port: world.smtpPort, clock, limits, allow, ownAddresses: () => [] });
  const dialledAt = new Map<string, number[]>();
  const watched: typeof dialer = {
    counts: dialer.counts,
    dial(target, patience) {
      dialledAt.set(target.address, [...(dialledAt.get(target.address) ?? []), clock.now()]);
      return dialer.dial(target, patience);
    },
  };
  const scheduler = createProbeScheduler({
    clock,
    limits,
    routes: createRoutes({
      settings: [],
      defaults: { heloName: 'probe.test', mailFrom: 'verify@probe.test' },
      clock,
      wallClock: clock,
      limits,
      heedsBlocks: true,
      dialerFor: () => watched,
      onProblem: () => undefined,
    }),
    mailPort: { note: () => undefined },
    starttls: 'demanded',
    policies: createPolicyBook({ pacing: 'on' }),
    hosts: createHostMemory(clock, limits),
    facts: createDomainFacts({
      clock,
      limits: limits,
      beliefs: createProviderBeliefs({ clock, limits: limits, onProblem: () => undefined }),
    }),
    madeUpLocalPart: () => 'no-such-user',
    conversationLimiter: createConversationLimiter({ clock, openConversations: 1_000 }),
    pacer: createPacer({
      clock,
      random: () => 0.5,
      sharesEgress: true,
      backsOff: true,
      onRest: () => undefined,
    }),
  });
  return { world, clock, scheduler, dialledAt, visits: [] };
}

type Arrival = { at: number; host: number; name: string };

/** Addresses arrive in bursts all day long, so that hosts are both idle and crowded. */
function arrivals(): Arrival[] {
  return Array.from({ length: addresses }, (_, index) => {
    const burst = Math.floor(index / 500);
    return {
      at: burst * (dayMs / 40) + (index % 7) * 300,
      host: (index * 7) % hosts,
      name: `person${index}`,
    };
  }).toSorted((a, b) => a.at - b.at);
}

async function liveThroughTheDay({ clock, scheduler, visits }: Farm): Promise<void> {
  const coming = arrivals();
  letArrive();
  for (let steps = 0; visits.length < addresses; steps += 1) {
    assert.ok(steps < 5_000_000, `${visits.length} answered`);
    const next = clock.next();
    // While hosts are being spoken to, the clock moves by small steps only: they overlap, and none is cut short.
    if (next !== undefined && (scheduler.counts().open === 0 || next - clock.now() < 2_000)) clock.step();
    if (scheduler.counts().open > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets every probe that arrives now ask, and waits for the next arrival. */
  function letArrive(): void {
    while (coming[0] !== undefined && coming[0].at <= clock.now()) askFor(coming.shift());
    if (coming[0] !== undefined) clock.after(coming[0].at - clock.now(), letArrive);
  }
  function askFor(arrival: Arrival | undefined): void {
    const parsed = parseAddress(`${arrival?.name ?? ''}@d${arrival?.host ?? ''}.test`);
    const host = canonicalHost(hostOf(arrival?.host ?? 0));
    if (arrival === undefined || parsed.kind === 'invalid' || host === undefined)
      throw new Error('no address');
    const target = { host, address: addressOf(arrival.host) };
    const request = {
      address: parsed.address,
      target,
      asker: { urgency: 'bulk', account: arrival.name },
    } as const;
    const patience = { deadline: Infinity, signal: new AbortController().signal };
    void scheduler.ask(request, patience).then((visit) => visits.push(visit));
  }
}

function gaps(times: number[]): number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}

/** The most that fall into any stretch of a minute. */
function mostInAMinute(times: number[]): number {
  return Math.max(
    0,
    ...times.map((start) => times.filter((at) => at >= start && at < start + minuteMs).length),
  );
}

describe('a day on the farm', () => {
  let farm: Farm;
  const timesBy = (key: (index: number) => string): Map<string, number[]> => {
    const times = new Map<string, number[]>();
    for (let index = 0; index < hosts; index += 1) {
      const dialled = farm.dialledAt.get(addressOf(index)) ?? [];
      times.set(
        key(index),
        [...(times.get(key(index)) ?? []), ...dialled].toSorted((a, b) => a - b),
      );
    }
    return times;
  };
  const groupOf = (index: number): string => (kindOf(index) === 'shared' ? 'shared.test' : hostOf(index));

  before(async () => {
    farm = await startFarm();
    await liveThroughTheDay(farm);
  });
  after(() => farm.world.stop());

  test('every address gets an answer, and those at living hosts a real one', () => {
    assert.equal(farm.visits.length, addresses);
    const answered = farm.visits.filter(({ kind }) => kind === 'answered').length;
    assert.equal(
      answered,
      arrivals().filter(({ host }) => ['alone', 'shared'].includes(kindOf(host))).length,
    );
  });

  test('no address and no group gets more than one connection a second or thirty a minute', () => {
    for (const [key, times] of [...timesBy(groupOf), ...timesBy(addressOf)]) {
      assert.ok(Math.min(Infinity, ...gaps(times)) >= 1_000, `${key}: ${Math.min(...gaps(times))} ms apart`);
      assert.ok(mostInAMinute(times) <= defaultPoliteness.connectionsPerMinute, key);
    }
  });

  test('no host has more conversations open at once than an address may have', () => {
    for (let index = 0; index < hosts; index += 1) {
      const { mostOpen } = farm.world.hosts[hostOf(index)]?.counts ?? { mostOpen: NaN };
      assert.ok(mostOpen <= defaultPoliteness.conversationsPerAddress, `${hostOf(index)}: ${mostOpen}`);
    }
    assert.ok(networkOf(addressOf(6)) === networkOf(addressOf(7)));
  });

  test('no conversation names more recipients or bears more refusals than it may', () => {
    for (const { lines } of farm.world.conversations) {
      assert.ok(
        lines.filter((line) => line.startsWith('C: RCPT')).length <=
          defaultPoliteness.recipientsPerConversation,
      );
    }
  });

  test('every conversation in step ends with QUIT', () => {
    assert.deepEqual(farm.world.violations, []);
    const spoken = farm.world.conversations.filter(({ lines }) =>
      lines.some((line) => line.startsWith('C: EHLO')),
    );
    assert.ok(spoken.length > 1_000);
    assert.ok(spoken.every(endsWithQuit));
  });

  test('a host that defers is left alone for 5 minutes, then 10, 20, 40 and an hour', () => {
    const curve = [5, 10, 20, 40, 60, 60, 60].map((minutes) => minutes * minuteMs * 1.05);
    for (let index = 0; index < hosts; index += 1) {
      if (kindOf(index) !== 'defers') continue;
      const seen = gaps(farm.dialledAt.get(addressOf(index)) ?? []);
      assert.ok(seen.length >= 5);
      seen.forEach((gap, visit) =>
        assert.ok(gap >= (curve[visit] ?? minuteMs * 63), `visit ${visit}: ${gap / minuteMs} min`),
      );
    }
  });

  test('a dead host is tried twice, then left alone for 5 minutes, then 10, 20, 40 and an hour', () => {
    const curve = [0, 5, 10, 20, 40, 60, 60].map((minutes) => minutes * minuteMs * 1.05);
    for (let index = 0; index < hosts; index += 1) {
      if (kindOf(index) !== 'dead') continue;
      const seen = gaps(farm.dialledAt.get(addressOf(index)) ?? []);
      seen.forEach((gap, visit) =>
        assert.ok(gap >= (curve[visit] ?? minuteMs * 63), `visit ${visit}: ${gap / minuteMs} min`),
      );
    }
  });
});

function endsWithQuit({ lines }: Conversation): boolean {
  return lines.some((line) => line === 'C: QUIT');
}
