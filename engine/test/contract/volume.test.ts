import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation, Temper } from '@mailproof/world';
import { defaultPoliteness } from '../../src/politeness/built-in-policies.ts';
import { oneHost, startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** A list at one mail host, and its cost for the host, counted by the world. */

const living = Array.from({ length: 80 }, (_, index) => `alive${index}`);
const unknown = Array.from({ length: 20 }, (_, index) => `nobody${index}`);
/** Living and unknown mixed, as lists are. */
const people = [...living, ...unknown].toSorted((a, b) => hash(a) - hash(b));
const asker = { urgency: 'bulk', account: 'list' } as const;

function hash(text: string): number {
  return Array.from(text).reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 9_973, 7);
}

async function verifyList(temper: Temper, check: (running: EngineInWorld) => void): Promise<void> {
  const mailboxes = Object.fromEntries(living.map((name) => [name, 'exists' as const]));
  const running = await startEngine(oneHost('list.test', { temper, mailboxes }));
  try {
    const outcomes = await Promise.all(people.map((name) => running.verify(`${name}@list.test`, { asker })));
    const statuses = outcomes.map((outcome) =>
      outcome.kind === 'verdict' ? outcome.verdict.status : outcome.kind,
    );
    assert.deepEqual(
      people.map((name, index) => [name, statuses[index]]),
      people.map((name) => [name, name.startsWith('alive') ? 'safe' : 'invalid']),
    );
    assert.deepEqual(running.world.violations, []);
    for (const conversation of running.world.conversations) checkManners(conversation);
    check(running);
  } finally {
    await running.stop();
  }
}

function checkManners({ lines }: Conversation): void {
  const recipients = lines.filter((line) => line.startsWith('C: RCPT')).length;
  const refusals = lines.filter((line) => /^S: 5\d\d /.test(line)).length;
  assert.ok(
    recipients <= defaultPoliteness.recipientsPerConversation,
    `${recipients} recipients in one conversation`,
  );
  assert.ok(
    refusals <= defaultPoliteness.refusalsPerConversation,
    `${refusals} refusals in one conversation`,
  );
}

/** How often each address was named to a host. */
function timesNamed({ world }: EngineInWorld): number[] {
  const named = new Map<string, number>();
  for (const line of world.conversations.flatMap(({ lines }) => lines)) {
    const name = /^C: RCPT TO:<(alive\d+|nobody\d+)@/.exec(line)?.[1];
    if (name !== undefined) named.set(name, (named.get(name) ?? 0) + 1);
  }
  return people.map((name) => named.get(name) ?? 0);
}

describe('100 addresses at one domain, 20 of them unknown', () => {
  test('with PIPELINING: 2 DNS queries, at most 20 connections and 100 SMTP round trips, everybody asked once', () =>
    verifyList({}, (running) => {
      const { dns, smtp } = running.world.counts;
      assert.equal(dns.queries, 2);
      assert.ok(smtp.connections <= 20, `${smtp.connections} connections`);
      assert.ok(smtp.roundTrips <= 100, `${smtp.roundTrips} round trips`);
      assert.equal(smtp.commands['RCPT'], people.length + 1);
      assert.deepEqual(new Set(timesNamed(running)), new Set([1]));
    }));

  test('at a host that takes one recipient a transaction: none but the first is put off', () =>
    verifyList({ recipientsPerTransaction: 1 }, (running) => {
      assert.ok(running.world.counts.smtp.connections <= 25);
      assert.ok(Math.max(...timesNamed(running)) <= 2);
    }));

  test('without PIPELINING: one command at a time, everybody asked once', () =>
    verifyList({ pipelining: false }, (running) => {
      assert.ok(running.world.counts.smtp.connections <= 20);
      assert.deepEqual(new Set(timesNamed(running)), new Set([1]));
    }));

  test('at a host that hangs up after the third refusal: no address is lost, and the limit is learnt', () =>
    verifyList({ hangsUpAfterRefusals: 3 }, (running) => {
      const twice = timesNamed(running).filter((times) => times > 1).length;
      // The replies that came before the host hung up were not proved to be in step, so they are asked for again.
      assert.ok(twice <= 40, `${twice} asked more than once`);
    }));

  test('at a host that counts errors as Postfix does, it never comes to a delay', () =>
    verifyList({ errorCount: { soft: 10, hard: 20, delayMs: 60_000 } }, () => undefined));

  test('at a host that refuses every recipient once most were refused, as Exim does, none is called invalid for it', () =>
    verifyList({ refusesMostlyRefused: { named: 10 } }, () => undefined));
});
