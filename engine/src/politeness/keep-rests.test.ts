import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { MemoryNamespace } from '../memory.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { defaultPoliteness } from './built-in-policies.ts';
import { createPacer } from './create-pacer.ts';
import { endedRest, readKeptRest, mergeRests, type RestNews } from './keep-rests.ts';
import type { Destination } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';

const to: Destination = {
  target: { host: 'mx.one.example' as CanonicalHost, address: '192.0.2.1' },
  policy: {
    group: 'one.example',
    asking: 'probe',
    politeness: defaultPoliteness,
    routes: undefined,
    spread: 1,
    brakes: false,
    countsUnknown: false,
  },
};

const clean: SessionOutcome = {
  connected: true,
  fault: undefined,
  turnedAway: undefined,
  mailboxes: [],
  madeUp: [],
};

const minute = 60_000;

function setUp(lifeLeftMs = 0) {
  const clock = createTestClock();
  const learnt: { key: string; value: unknown; lifeMs: number }[] = [];
  const kept = {
    restMs: 5 * minute,
    reason: 'host_defers',
    slowMs: 0,
    perMinute: 0,
    failures: 1,
    silences: 0,
  };
  let hear: Parameters<MemoryNamespace['follow']>[0] = () => undefined;
  const memory: MemoryNamespace = {
    follow: (take) => {
      hear = take;
      if (lifeLeftMs > 0) take({ key: 'address 192.0.2.1', value: kept, lifeMs: lifeLeftMs });
    },
    learn: (key, value, lifeMs) => void learnt.push({ key, value, lifeMs }),
  };
  const pacer = createPacer({
    clock,
    random: () => 0,
    sharesEgress: true,
    backsOff: true,
    onRest: () => undefined,
    memory,
  });
  const hold = (outcome: SessionOutcome): void => {
    pacer.opened(to, 'default').closed(outcome);
  };
  return { clock, pacer, learnt, hold, kept, tell: (entry: Parameters<typeof hear>[0]) => hear(entry) };
}

test('a host that could not be reached twice rests, which is kept; when it does better, that is forgotten', () => {
  const { learnt, hold } = setUp();
  hold({ ...clean, connected: false });
  assert.equal(learnt.length, 0, 'one lost connection is chance');
  hold({ ...clean, connected: false });
  assert.deepEqual(
    learnt.map(({ key, lifeMs }) => [key, lifeMs]),
    [['address 192.0.2.1', 65 * minute]],
  );
  hold(clean);
  assert.deepEqual(learnt.at(-1), { key: 'address 192.0.2.1', value: null, lifeMs: 0 });
});

test('a rest goes on for what was left of it', () => {
  const { pacer, clock } = setUp(62 * minute);
  const permission = pacer.mayOpen(to, 'default');
  assert.deepEqual(permission, { kind: 'resting', reason: 'host_defers', until: clock.now() + 2 * minute });
});

test('after it the host is met one conversation at a time, and its failures are not forgotten', () => {
  const { pacer, clock, hold } = setUp(30 * minute);
  assert.equal(pacer.mayOpen(to, 'default').kind, 'open');
  const conversation = pacer.opened(to, 'default');
  assert.equal(pacer.mayOpen(to, 'default').kind, 'wait');
  conversation.closed(undefined);
  const turnedAway = {
    reply: { code: 421, enhanced: '4.3.2', lines: ['later'] },
    meaning: { label: 'greylisted_or_temporary', reason: 'deferred' },
  } as const;
  hold({ ...clean, turnedAway: { ...turnedAway, reply: { ...turnedAway.reply, lines: ['later'] } } });
  assert.deepEqual(pacer.mayOpen(to, 'default'), {
    kind: 'resting',
    reason: 'host_defers',
    until: clock.now() + 10 * minute,
  });
});

test('a rest that began elsewhere holds here, and what it recovered from there is forgotten here', () => {
  const { pacer, clock, kept, hold, tell } = setUp();
  const key = 'address 192.0.2.1';
  tell({ key, value: { ...kept, failures: 3 }, lifeMs: 65 * minute });
  assert.deepEqual(pacer.mayOpen(to, 'default'), {
    kind: 'resting',
    reason: 'host_defers',
    until: 5 * minute,
  });
  clock.after(5 * minute, () => undefined);
  clock.step();
  tell({ key, value: null, lifeMs: -100 });
  hold({ ...clean, connected: false });
  assert.notEqual(pacer.mayOpen(to, 'default').kind, 'resting', 'one lost connection is chance again');
});

test('news of a rest that ends earlier does not cut a longer one short', () => {
  const { pacer, kept, tell } = setUp();
  for (const restMs of [5 * minute, minute])
    tell({ key: 'address 192.0.2.1', value: { ...kept, restMs }, lifeMs: restMs + 60 * minute });
  assert.deepEqual(pacer.mayOpen(to, 'default'), {
    kind: 'resting',
    reason: 'host_defers',
    until: 5 * minute,
  });
});

test('a rest that the operator ends is over for every engine that hears of it', () => {
  const { pacer, tell, hold, learnt } = setUp(5 * minute + 60 * minute);
  assert.equal(pacer.restOf(to)?.reason, 'host_defers');
  tell({ key: 'address 192.0.2.1', value: endedRest, lifeMs: minute });
  assert.equal(pacer.restOf(to), undefined);
  assert.equal(pacer.mayOpen(to, 'default').kind, 'open');
  hold({ ...clean, connected: false });
  assert.equal(learnt.length, 0, 'its past is forgotten');
});

test('the remainder of a kept rest is read from its life', () => {
  const { kept } = setUp();
  assert.deepEqual(readKeptRest(kept, 62 * minute), { reason: 'host_defers', leftMs: 2 * minute });
  assert.equal(readKeptRest(kept, 60 * minute), undefined);
  assert.equal(readKeptRest(endedRest, minute), undefined);
});

/** Small numbers, so that equal times and equal counts come up often. */
const small = fc.integer({ min: 0, max: 4 });
const plain = { noNullPrototype: true } as const;
const rest = fc.record({ until: small, reason: fc.constantFrom('host_defers', 'host_silent') }, plain);
const slow = fc.record({ perMinute: fc.integer({ min: 1, max: 3 }), until: small }, plain);
const news: fc.Arbitrary<RestNews> = fc.record(
  {
    at: small,
    rest: fc.option(rest, { nil: undefined }),
    slow: fc.option(slow, { nil: undefined }),
    failures: small,
    silences: small,
  },
  plain,
);

test('the order in which news come makes no difference', () => {
  fc.assert(
    fc.property(news, news, news, (a, b, c) => {
      assert.deepEqual(mergeRests(a, b), mergeRests(b, a));
      assert.deepEqual(mergeRests(mergeRests(a, b), c), mergeRests(a, mergeRests(b, c)));
    }),
    { numRuns: 2_000 },
  );
});

test('news that come twice change nothing', () => {
  fc.assert(
    fc.property(news, news, (a, b) => {
      assert.deepEqual(mergeRests(a, a), a);
      assert.deepEqual(mergeRests(mergeRests(a, b), b), mergeRests(a, b));
    }),
    { numRuns: 2_000 },
  );
});

test('no host rests shorter or is asked faster than either said', () => {
  fc.assert(
    fc.property(news, news, (a, b) => {
      const merged = mergeRests(a, b);
      for (const one of [a, b]) {
        assert.ok((merged.rest?.until ?? -1) >= (one.rest?.until ?? -1));
        assert.ok((merged.slow?.perMinute ?? Infinity) <= (one.slow?.perMinute ?? Infinity));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('the later word on failures holds, also when it is better', () => {
  const none = { rest: undefined, slow: undefined, silences: 0 };
  const merged = mergeRests({ ...none, at: 2, failures: 0 }, { ...none, at: 1, failures: 3 });
  assert.equal(merged.failures, 0);
});
