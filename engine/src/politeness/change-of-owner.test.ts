import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { createPacer, type Pacer, type Predecessor } from './create-pacer.ts';
import { defaultPoliteness } from './built-in-policies.ts';
import type { Destination, Politeness } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';

/**
 * One egress address that changes hands, seen from the hosts' side. Its owners stop and die at any moment, each asks
 * as much as it may, and no minute ever holds more connections than one owner alone could have opened.
 */
const clean: SessionOutcome = {
  connected: true,
  fault: undefined,
  turnedAway: undefined,
  mailboxes: [],
  madeUp: [],
};

/** Two groups at one address, and one of them at another as well. */
const places = [
  ['192.0.2.1', 'one.example'],
  ['192.0.2.1', 'two.example'],
  ['198.51.100.1', 'two.example'],
] as const;

function destinationsWith(politeness: Politeness): Destination[] {
  return places.map(([address, group]) => ({
    target: { host: `mx.${group}` as CanonicalHost, address },
    policy: {
      group,
      asking: 'probe',
      politeness,
      routes: undefined,
      spread: 1,
      brakes: false,
      countsUnknown: false,
    },
  }));
}

function createWitness({ connectionsPerMinute, connectionsPerSecond }: Politeness) {
  const openedAt = new Map<string, number[]>();
  const seenAt = new Map<string, number[]>();
  const add = (times: Map<string, number[]>, key: string, at: number): number[] => {
    const all = [...(times.get(key) ?? []), at];
    times.set(key, all);
    return all;
  };
  return {
    /** Reports a connection that was opened too soon after the one before. */
    opened({ target, policy }: Destination, now: number): string | undefined {
      for (const key of [target.address, policy.group]) {
        const gapMs = now - (add(openedAt, key, now).at(-2) ?? -Infinity);
        if (gapMs < 1_000 / connectionsPerSecond) return `${key}: ${gapMs} ms after the one before`;
      }
      return undefined;
    },
    seen({ target, policy }: Destination, now: number): void {
      for (const key of [target.address, policy.group]) add(seenAt, key, now);
    },
    /** Every minute that held too much, as the hosts saw it. */
    fullMinutes(): string[] {
      return [...seenAt].flatMap(([key, times]) => {
        const sorted = times.sort((one, other) => one - other);
        return sorted.flatMap((from, first) => {
          const next = sorted[first + connectionsPerMinute] ?? Infinity;
          return next - from < 60_000 ? [`${key}: more than the limit from ${from} to ${next}`] : [];
        });
      });
    },
    total: () => [...openedAt.values()].reduce((sum, { length }) => sum + length, 0),
  };
}

/** `killed`: it wrote its counts down every two seconds, and the next one knows them. */
type Change = { kind: 'stops' | 'dies' | 'killed'; afterMs: number; vacantMs: number };

const noteEveryMs = 2_000;
/** How long after a note its owner may begin. */
const noteLastsMs = 4_000;

const newPacer = (clock: TestClock): Pacer =>
  createPacer({ clock, random: () => 0, sharesEgress: true, backsOff: true, onRest: () => undefined });

/** How long after the opening a host sees each connection, and how long after that it answers, one after the other. */
type Delays = readonly { seenMs: number; answeredMs: number }[];

/** Lets each owner open all it may until it goes; the next comes after the wait that a death costs, or at once. */
function live(changes: readonly Change[], politeness: Politeness, delays: Delays = []) {
  const clock = createTestClock();
  const witness = createWitness(politeness);
  const destinations = destinationsWith(politeness);
  let number = 0;
  let owner = newPacer(clock);
  let note = { at: clock.now(), handOver: {} as unknown };
  const writeDown = (): void => {
    note = { at: clock.now(), handOver: structuredClone(owner.handOver('default', 2)) };
  };
  writeDown();
  /** Connections of the present owner, not answered yet. */
  let waiting: { endsAt: number; end: () => void }[] = [];
  const open = (to: Destination): void => {
    const { seenMs, answeredMs } = delays[number % delays.length] ?? { seenMs: 0, answeredMs: 0 };
    number += 1;
    const conversation = owner.opened(to, 'default');
    assert.equal(witness.opened(to, clock.now()), undefined);
    witness.seen(to, clock.now() + seenMs);
    const endsAt = clock.now() + seenMs + answeredMs;
    waiting.push({ endsAt, end: () => conversation.closed(clean) });
  };
  const endThoseAnswered = (now: number): void => {
    for (const { endsAt, end } of waiting) if (endsAt <= now) end();
    waiting = waiting.filter(({ endsAt }) => endsAt > now);
  };
  const askUntil = (end: number): void => {
    while (clock.now() < end) {
      endThoseAnswered(clock.now());
      if (clock.now() - note.at >= noteEveryMs) writeDown();
      for (const to of destinations) if (owner.mayOpen(to, 'default').kind === 'open') open(to);
      endThoseAnswered(clock.now());
      clock.advance(500);
    }
  };
  for (const { kind, afterMs, vacantMs } of changes) {
    askUntil(clock.now() + afterMs);
    // An owner that stops has ended its open connections; those of one that dies, a host has seen all, or never
    // will.
    while (kind === 'stops' && waiting.length > 0) {
      clock.advance(500);
      endThoseAnswered(clock.now());
    }
    waiting = [];
    const handOver = structuredClone(owner.handOver('default')) as unknown;
    const untilFreeMs = { stops: 0, dies: 30_000, killed: note.at + noteLastsMs - clock.now() };
    clock.advance(untilFreeMs[kind] + vacantMs);
    owner = newPacer(clock);
    const from: Record<Change['kind'], Predecessor> = {
      stops: { kind: 'stopped', handOver, agoMs: vacantMs },
      dies: { kind: 'died', agoMs: 30_000 + vacantMs },
      killed: {
        kind: 'died',
        agoMs: vacantMs,
        left: { handOver: note.handOver, agoMs: vacantMs + noteLastsMs },
      },
    };
    owner.takeOver('default', from[kind]);
    writeDown();
  }
  askUntil(clock.now() + 120_000);
  assert.deepEqual(witness.fullMinutes(), []);
  return witness.total();
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('stops', 'dies', 'killed'),
  // An owner may go the moment it has come, and again.
  afterMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 90_000 })),
  vacantMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40_000 })),
});

const patient = { ...defaultPoliteness, conversationsPerAddress: 100, conversationsPerNetwork: 100 };

describe('an egress address that changes hands', () => {
  test('no minute holds more connections than its limit, whichever owner opened them', () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 45 }),
        fc.constantFrom(1, 4, 1_000),
        (changes, connectionsPerMinute, connectionsPerSecond) => {
          live(changes, { ...defaultPoliteness, connectionsPerMinute, connectionsPerSecond });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('nor where hosts see connections late, some later than others, and answer later still', () => {
    const delay = fc.record({
      seenMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8_000 })),
      answeredMs: fc.integer({ min: 0, max: 50_000 }),
    });
    // Connections of a dead owner that a host has not yet seen are known to no process.
    const stop = change.map((one): Change => ({ ...one, kind: 'stops' }));
    fc.assert(
      fc.property(
        fc.array(stop, { maxLength: 3 }),
        fc.array(delay, { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 1, max: 45 }),
        (changes, delays, connectionsPerMinute) => {
          const politeness = { ...patient, conversationsPerGroup: 100, conversationsPerGroupAtMost: 100 };
          live(changes, { ...politeness, connectionsPerMinute, connectionsPerSecond: 4 }, delays);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('after a kill the next owner begins at once, knowing all but the last seconds of what was opened', () => {
    const clock = createTestClock();
    const owner = newPacer(clock);
    const [to] = destinationsWith(defaultPoliteness);
    assert.ok(to);
    const left = { handOver: { hosts: [], unnamedAtMost: 0, begunMs: null }, agoMs: 5_000 };
    owner.takeOver('default', { kind: 'died', agoMs: 1_000, left });
    assert.equal(owner.mayOpen(to, 'default').kind, 'open');
    for (let opened = 0; opened < 10; opened += 1) {
      owner.opened(to, 'default').closed(clean);
      clock.advance(1_000);
    }
    // Five that were not written down, one in each second, and ten of its own are half of the limit.
    assert.equal(owner.mayOpen(to, 'default').kind, 'wait');
  });

  test('one owner alone uses the whole limit in every minute', () => {
    const perMinute = 20;
    const opened = live([{ kind: 'stops', afterMs: 480_000, vacantMs: 0 }], {
      ...defaultPoliteness,
      connectionsPerMinute: perMinute,
      connectionsPerSecond: 1_000,
    });
    // Ten minutes; one host and two groups share the host's limit, and the second group has another host
    // besides.
    assert.ok(opened >= 10 * perMinute * 3, `${opened}`);
  });

  test('hosts that a predecessor did not name are taken to have had as many as the least it named', () => {
    const clock = createTestClock();
    const owner = newPacer(clock);
    const politeness = { ...defaultPoliteness, connectionsPerMinute: 2, connectionsPerSecond: 1_000 };
    const [to] = destinationsWith(politeness);
    assert.ok(to);
    owner.takeOver('default', {
      kind: 'stopped',
      handOver: { hosts: [], unnamedAtMost: 1, begunMs: null },
      agoMs: 0,
    });
    assert.equal(owner.mayOpen(to, 'default').kind, 'wait');
    clock.advance(30_000);
    assert.equal(owner.mayOpen(to, 'default').kind, 'open');
  });

  test('each egress address has its own limit, and a host that complains rests for all of them', () => {
    const clock = createTestClock();
    const owner = newPacer(clock);
    const [to] = destinationsWith(defaultPoliteness);
    assert.ok(to);
    const conversation = owner.opened(to, 'one');
    assert.equal(owner.mayOpen(to, 'one').kind, 'wait');
    assert.equal(owner.mayOpen(to, 'two').kind, 'open');
    conversation.closed({
      ...clean,
      turnedAway: {
        reply: { code: 421, enhanced: '4.3.2', lines: ['later'] },
        meaning: { label: 'greylisted_or_temporary', reason: 'deferred' },
      },
    });
    assert.equal(owner.mayOpen(to, 'two').kind, 'resting');
  });
});
