import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPacer, type Pacer } from '../../src/politeness/create-pacer.ts';
import { createPolicyBook } from '../../src/politeness/create-policy-book.ts';
import type { Destination } from '../../src/politeness/policy.ts';
import { defaultPoliteness } from '../../src/politeness/built-in-policies.ts';
import { readPolicyFile } from '../../src/politeness/read-policy-file.ts';
import type { SessionOutcome } from '../../src/politeness/session-outcome.ts';
import { egressFor } from '../../src/routes/choose-route.ts';
import type { CanonicalHost } from '../../src/syntax/address.ts';
import { createTestClock } from '../support/test-clock.ts';

/**
 * Probers with an egress address each at one provider, on the clock of a test. Each has a pacer of its own, begins
 * the conversations that it allows, and asks for as many mailboxes in each as the policy has it. The provider
 * watches from its side that no egress address opens more connections a minute than it allows.
 */
const mailboxes = 12_000;
const conversationMs = 6_000;
const clean: SessionOutcome = {
  connected: true,
  fault: undefined,
  turnedAway: undefined,
  mailboxes: [],
  madeUp: [],
};

type Prober = { egress: string; pacer: Pacer; waiting: number; openedAt: number[]; nextAt: number };

function askAll(addresses: number, spread: number, multipliesLimits = true) {
  const read = readPolicyFile(JSON.stringify({ providers: { google: { spread, multipliesLimits } } }));
  if (read.kind !== 'ok') throw new Error(read.line);
  const policy = createPolicyBook({ file: read.file, pacing: 'on' }).policyFor('mx.google.com');
  const target = { host: 'mx.google.com' as CanonicalHost, address: '192.0.2.1' };
  const destination: Destination = { target, policy };
  const clock = createTestClock();
  const names = Array.from({ length: addresses }, (_, n) => `egress-${n}`);
  const pacers = { clock, random: () => 0, sharesEgress: true, backsOff: true, onRest: () => undefined };
  const probers = new Map(
    names.map((egress): [string, Prober] => [
      egress,
      { egress, pacer: createPacer(pacers), waiting: 0, openedAt: [], nextAt: 0 },
    ]),
  );
  for (let n = 0; n < mailboxes; n += 1) {
    const [best = ''] = egressFor({ group: policy.group, spread, mailbox: `m${n}@gmail.com` }, names);
    const prober = probers.get(best);
    if (prober !== undefined) prober.waiting += 1;
  }
  const all = [...probers.values()];
  // Every second a prober sees what it may begin; the policy allows no more than one a second.
  while (all.some(({ waiting }) => waiting > 0)) {
    for (const prober of all) begin(prober);
    clock.advance(1_000);
  }
  return {
    minutes: (clock.now() + conversationMs) / 60_000,
    asking: all.filter(({ openedAt }) => openedAt.length > 0).length,
    mostInAMinute: Math.max(...all.map(({ openedAt }) => mostWithin(openedAt, 60_000))),
    mostOfAllInAMinute: mostWithin(
      all.flatMap(({ openedAt }) => openedAt),
      60_000,
    ),
    allowed: policy.politeness.connectionsPerMinute,
  };

  function begin(prober: Prober): void {
    if (prober.waiting === 0 || prober.pacer.mayOpen(destination, prober.egress).kind !== 'open') return;
    const conversation = prober.pacer.opened(destination, prober.egress);
    conversation.arrived();
    prober.openedAt.push(clock.now());
    prober.waiting -= Math.min(prober.waiting, policy.politeness.recipientsPerConversation);
    clock.after(conversationMs, () => conversation.closed(clean));
  }
}

function mostWithin(times: readonly number[], spanMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length));
}

describe('a provider that limits each address it is asked from', () => {
  const alone = askAll(1, 1);
  const goals = [
    [2, 1.9],
    [4, 3.7],
    [8, 7],
  ] as const;

  for (const [addresses, goal] of goals) {
    test(`${addresses} egress addresses and as much spread that multiplies: at least ${goal} times the verdicts a minute`, (t) => {
      const { minutes, asking, mostInAMinute, allowed } = askAll(addresses, addresses);
      const times = alone.minutes / minutes;
      t.diagnostic(`${times.toFixed(2)} times; ${mostInAMinute} of ${allowed} connections in a minute`);
      assert.equal(asking, addresses);
      assert.ok(times >= goal, `${times} times`);
      assert.ok(mostInAMinute <= allowed, `${mostInAMinute} of ${allowed}`);
    });

    test(`${addresses} egress addresses and as much spread: all together open no more than one may`, () => {
      const { asking, mostOfAllInAMinute } = askAll(addresses, addresses, false);
      assert.equal(asking, addresses);
      assert.ok(
        mostOfAllInAMinute <= defaultPoliteness.connectionsPerMinute,
        `${mostOfAllInAMinute} connections in a minute`,
      );
    });

    test(`${addresses} egress addresses without spread: one asks, and no verdict more`, () => {
      const { minutes, asking } = askAll(addresses, 1);
      assert.equal(asking, 1);
      assert.equal(minutes, alone.minutes);
    });
  }

  test('spread over fewer than there are: only these ask', () => {
    assert.equal(askAll(8, 3).asking, 3);
  });
});
