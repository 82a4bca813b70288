import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createDomainFacts, createProviderBeliefs } from '../../src/probing/domain-facts.ts';
import { createHostMemory } from '../../src/probing/host-traits.ts';
import { createProbeScheduler, type ProbeScheduler } from '../../src/probing/probe-scheduler.ts';
import type { Asker } from '../../src/fair-queue.ts';
import type { RouteDialer } from '../../src/routes/create-route-dialer.ts';
import { createRoutes } from '../../src/routes/create-routes.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createPacer } from '../../src/politeness/create-pacer.ts';
import { createConversationLimiter } from '../../src/politeness/create-conversation-limiter.ts';
import { createPolicyBook } from '../../src/politeness/create-policy-book.ts';
import { canonicalHost } from '../../src/syntax/canonical-host.ts';
import { parseAddress } from '../../src/syntax/parse-address.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

/**
 * One account's thousand addresses at tarpits, another's few elsewhere: the second account's waits in the engine, on
 * the virtual clock, with the default limits. No socket is opened. A tarpit is a connection that takes as long as a
 * conversation may; any other host is one that takes a while and comes to nothing. So the times are exact, and the
 * bound of 1.25 holds without any allowance for the machine.
 */
const tarpitMs = defaultLimits.smtpPhaseMs;
const briskMs = 300;
const others = 100;
const everyMs = 200;

type Place = { clock: TestClock; scheduler: ProbeScheduler };

function setUp(): Place {
  const clock = createTestClock();
  const dialer: RouteDialer = {
    counts: { dialled: 0, forbidden: 0, breaches: 0 },
    dial: ({ host }) =>
      new Promise((resolve) => {
        const takesMs = host.startsWith('tarpit') ? tarpitMs : briskMs;
        clock.after(takesMs, () => resolve({ kind: 'failed', why: 'refused' }));
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
    madeUpLocalPart: () => 'no-such-user',
    conversationLimiter: createConversationLimiter({
      clock,
      openConversations: defaultLimits.openConversations,
    }),
    // No host is left alone after a failure, so that the tarpits hold their conversations to the end.
    pacer: createPacer({
      clock,
      random: () => 0.5,
      sharesEgress: true,
      backsOff: false,
      onRest: () => undefined,
    }),
  });
  return { clock, scheduler };
}

type Question = { name: string; address: string; asker: Asker };

/** Asks for one address and tells how long that took. */
async function timeOne({ clock, scheduler }: Place, { name, address, asker }: Question): Promise<number> {
  const host = canonicalHost(`${name}.test`);
  const parsed = parseAddress(`somebody@${name}.test`);
  if (host === undefined || parsed.kind === 'invalid') throw new Error(name);
  const askedAt = clock.now();
  const patience = { deadline: askedAt + 60_000, signal: new AbortController().signal };
  await scheduler.ask({ address: parsed.address, target: { host, address }, asker }, patience);
  return clock.now() - askedAt;
}

/** Returns how long each of the quick account's addresses takes, beside `tarpits` tarpits or none. */
async function timesBeside(tarpits: number, urgency: Asker['urgency'], ownHosts: boolean): Promise<number[]> {
  const place = setUp();
  const { clock } = place;
  for (let index = 0; index < (tarpits === 0 ? 0 : 1_000); index += 1) {
    const host = index % tarpits;
    const asker = { urgency: 'bulk', account: 'slow' } as const;
    void timeOne(place, { name: `tarpit${host}`, address: `198.51.${host}.1`, asker });
  }
  const times: Promise<number>[] = [];
  for (let index = 0; index < others; index += 1) {
    const host = ownHosts ? index : 0;
    const asker = { urgency, account: 'quick' };
    const asked = Promise.withResolvers<number>();
    times.push(asked.promise);
    clock.after(1_000 + index * everyMs, () =>
      asked.resolve(timeOne(place, { name: `brisk${host}`, address: `203.0.${host}.1`, asker })),
    );
  }
  const all = Promise.all(times);
  const done = { all: false };
  void all.then(() => (done.all = true));
  // One turn of the loop handles everything that follows from one timer: nothing here waits for the outside.
  while (!done.all) {
    clock.step();
    await turn();
  }
  return all;
}

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Infinity;
}

describe("one account's thousand addresses at tarpits", () => {
  for (const urgency of ['single', 'bulk'] as const)
    for (const ownHosts of [true, false])
      for (const tarpits of [1, 50])
        test(`at ${tarpits}: another's ${urgency} ones at ${ownHosts ? 'many hosts' : 'one host'} take at most 1.25 times as long as alone`, async () => {
          const idle = await timesBeside(0, urgency, ownHosts);
          const beside = await timesBeside(tarpits, urgency, ownHosts);
          if (ownHosts) assert.equal(p95(idle), briskMs, 'alone nobody waits');
          assert.ok(p95(beside) <= 1.25 * p95(idle), `${p95(beside)} ms beside, ${p95(idle)} ms alone`);
        });
});
