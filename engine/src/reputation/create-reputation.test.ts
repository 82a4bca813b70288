import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import type { Lookup } from '../dns/lookup.ts';
import type { Destination } from '../politeness/policy.ts';
import type { SessionOutcome } from '../politeness/session-outcome.ts';
import { createPolicyBook } from '../politeness/create-policy-book.ts';
import { allEgressIsOurs, createEgressRights, type EgressRights } from '../routes/create-routes.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import type { MemoryNamespace } from '../memory.ts';
import { createReputation, type Reputation } from './create-reputation.ts';

/** Days of simulated time: a block list as a set of names, and a clock that is moved on. */
const minute = 60_000;
const hour = 60 * minute;
const zen = 'zen.spamhaus.org';
const ours = '192.0.2.25';
const ourName = `25.2.0.192.${zen}`;

let clock: TestClock;
let listed: Set<string>;
let queries: string[];
let told: string[];
let reputation: Reputation;

type More = {
  addresses?: string[];
  memory?: MemoryNamespace;
  egress?: string[];
  rights?: EgressRights;
};

function open(more: More = {}): Reputation {
  return createReputation({
    clock,
    wallClock: clock.wallClock,
    limits: defaultLimits,
    memory: more.memory ?? { follow: () => undefined, learn: () => undefined },
    lists: [zen],
    egress: more.egress ?? ['default'],
    rights: more.rights ?? allEgressIsOurs,
    addressesOf: () => Promise.resolve(more.addresses ?? [ours]),
    askIpv4: (name) => {
      queries.push(name);
      const found: Lookup<string> = listed.has(name)
        ? { kind: 'found', records: ['127.0.0.2'] }
        : { kind: 'no_such_name' };
      return Promise.resolve(found);
    },
    onProblem: (message) => void told.push(message),
  });
}

/** Lets every answer that has arrived take effect. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function pass(ms: number, stepMs = 10 * minute): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left));
    await settled();
  }
}

const policies = createPolicyBook({ file: undefined, pacing: 'on' });

function at(host: string, address: string): Destination {
  const name = canonicalHost(host);
  assert.ok(name !== undefined);
  return { target: { host: name, address }, policy: policies.policyFor(name) };
}

const fine: SessionOutcome = {
  connected: true,
  fault: undefined,
  turnedAway: undefined,
  mailboxes: [],
  madeUp: [],
};

/** A host in a network of its own says that zen has us. */
function accuse(number: number, account = 'one', text = `blocked using ${zen}`): void {
  const outcome = { ...fine, accusation: { text, account }, mailboxes: [mailbox(account)] };
  reputation.note('default', { destination: at(`mx${number}.example`, `198.51.${number}.1`), outcome });
}

function mailbox(account: string): SessionOutcome['mailboxes'][number] {
  return { account, domain: 'example.com', said: 'complaint' };
}

const isClosed = (): boolean => reputation.of('default') !== undefined;

beforeEach(async () => {
  clock = createTestClock();
  listed = new Set([`2.0.0.127.${zen}`]);
  queries = [];
  told = [];
  reputation = open();
  await settled();
});

describe('look-ups', () => {
  test('are made at the start and every six hours, and every hour while a list has the address', async () => {
    const lookUps = (): number => queries.filter((name) => name === ourName).length;
    assert.equal(lookUps(), 1);
    await pass(24 * hour);
    assert.equal(lookUps(), 5);
    listed.add(ourName);
    await pass(6 * hour);
    assert.ok(isClosed());
    const before = lookUps();
    await pass(10 * hour);
    assert.equal(lookUps() - before, 10);
  });

  test('open the address within an hour of its removal, with one line for each change', async () => {
    listed.add(ourName);
    await pass(30 * hour);
    assert.ok(isClosed());
    assert.equal(told.length, 1);
    listed.delete(ourName);
    await pass(hour);
    assert.ok(!isClosed());
    assert.equal(told.length, 2);
  });

  test('are not believed if the list has every address, or none', async () => {
    for (const everybody of [[ourName, `1.0.0.127.${zen}`, `2.0.0.127.${zen}`], [ourName]]) {
      listed = new Set(everybody);
      await pass(7 * hour);
      assert.ok(!isClosed());
    }
  });

  test('are brought about by two hosts of two networks', async () => {
    listed.add(ourName);
    const before = queries.length;
    accuse(1);
    await settled();
    assert.equal(queries.length, before, 'one host is nobody');
    accuse(2);
    await settled();
    assert.ok(isClosed());
    accuse(3);
    await settled();
    assert.equal(queries.length, before + 3);
  });

  test('are brought about at most every ten seconds, however many hosts say so', async () => {
    const lookUps = (): number => queries.filter((name) => name === ourName).length;
    const before = lookUps();
    for (let host = 0; host < 50; host += 1) {
      accuse(host);
      await settled();
    }
    assert.equal(lookUps(), before + 1);
    await pass(10_000);
    accuse(50);
    accuse(51);
    await settled();
    assert.equal(lookUps(), before + 2);
  });

  test('are made by the owner of the address alone, as soon as it is the owner', async () => {
    const rights = createEgressRights(clock);
    reputation.stop();
    queries = [];
    reputation = open({ rights });
    for (const host of [1, 2, 3]) accuse(host);
    await pass(12 * hour);
    assert.equal(queries.length, 0);
    rights.allowUntil('default', Infinity);
    await settled();
    assert.equal(queries.filter((name) => name === ourName).length, 1);
  });

  test('of two hosts in one network are not', async () => {
    for (const last of [1, 2, 3]) {
      const destination = at('mx.example', `198.51.100.${last}`);
      const accusation = { text: `blocked using ${zen}`, account: 'one' };
      reputation.note('default', { destination, outcome: { ...fine, accusation } });
    }
    await settled();
    assert.equal(queries.length, 3);
  });
});

describe('words without a listing', () => {
  test('of a list that says no close nothing in a day, whichever host says them', async () => {
    for (let number = 0; number < 144; number += 1) {
      for (let host = 0; host < 20; host += 1) accuse((number * 20 + host) % 250, `account ${host % 5}`);
      await pass(10 * minute);
      assert.ok(!isClosed());
    }
    assert.deepEqual(told, []);
  });

  test('of a list that cannot be looked up rest the address for 1, 2, 4 hours …, at most for a day', async () => {
    const rests: number[] = [];
    for (let times = 0; times < 7; times += 1) {
      for (let host = 0; host < 25; host += 1)
        accuse(host, `account ${host % 2}`, 'blocked by bl.example.org');
      await settled();
      const [closed] = reputation.state().closed;
      assert.ok(closed?.closure.kind === 'suspected');
      const restMs = closed.closure.until - clock.wallClock.now();
      rests.push(restMs / hour);
      await pass(restMs + minute);
      assert.ok(!isClosed());
    }
    assert.deepEqual(rests, [1, 2, 4, 8, 16, 24, 24]);
  });

  test('count for nothing if they are few, in few networks, or all of one account among several', async () => {
    const words = 'blocked by bl.example.org';
    for (let host = 0; host < 19; host += 1) accuse(host, `account ${host % 2}`, words);
    await settled();
    assert.ok(!isClosed(), 'few hosts');
    await pass(2 * hour);
    for (let host = 0; host < 100; host += 1) {
      const destination = at('mx.example', `198.51.${host % 9}.${host + 1}`);
      const accusation = { text: words, account: `account ${host % 2}` };
      reputation.note('default', { destination, outcome: { ...fine, accusation } });
    }
    await settled();
    assert.ok(!isClosed(), 'few networks');
    await pass(2 * hour);
    for (let host = 0; host < 100; host += 1) accuse(host, 'account 0', words);
    await settled();
    assert.ok(!isClosed(), 'one account');
  });

  test('count for nothing if few hosts repeat them, or if they are an hour apart', async () => {
    const words = 'blocked by bl.example.org';
    for (let time = 0; time < 10; time += 1)
      for (let host = 0; host < 15; host += 1) accuse(host, `account ${time % 2}`, words);
    await settled();
    assert.ok(!isClosed(), 'few hosts, many times');
    await pass(hour);
    for (let host = 15; host < 30; host += 1) accuse(host, `account ${host % 2}`, words);
    await settled();
    assert.ok(!isClosed(), 'half of them an hour ago');
  });

  test('count if the address that the world sees is not known', async () => {
    reputation = open({ addresses: [] });
    await settled();
    for (let host = 0; host < 25; host += 1) accuse(host);
    await settled();
    assert.ok(isClosed());
  });
});

describe('a ban', () => {
  const outlook = 'mx.olc.protection.outlook.com';
  const destination = at(outlook, '198.51.100.7');
  const ban = { code: 'S3140', page: 'https://example.com/' };
  const isBanned = (egress = 'default'): boolean => reputation.bannedUntil(egress, 'outlook') !== undefined;

  test('holds for a day and lets one conversation try; a second ban is a second day', async () => {
    for (let day = 0; day < 3; day += 1) {
      reputation.began('default', 'outlook');
      reputation.note('default', { destination, outcome: { ...fine, ban } });
      reputation.note('default', { destination, outcome: { ...fine, ban } });
      assert.equal(told.length, day + 1);
      await pass(24 * hour - minute);
      assert.ok(isBanned());
      await pass(minute);
      assert.ok(!isBanned(), 'one may try');
      assert.ok(!isBanned('second'), 'another address is not banned');
      reputation.began('default', 'outlook');
      assert.ok(isBanned(), 'and nobody else meanwhile');
      await pass(10 * minute);
    }
    reputation.began('default', 'outlook');
    reputation.note('default', { destination, outcome: fine });
    assert.ok(!isBanned());
    reputation.began('default', 'outlook');
    assert.ok(!isBanned(), 'all are asked again');
  });

  test('and a closure outlive a restart, and end when the operator says so', async () => {
    const entries = new Map<string, { key: string; value: unknown; lifeMs: number }>();
    let tell: Parameters<MemoryNamespace['follow']>[0] = () => undefined;
    const memory: MemoryNamespace = {
      follow(take) {
        entries.forEach(take);
        tell = take;
      },
      learn: (key, value, lifeMs) => void entries.set(key, { key, value, lifeMs }),
    };
    listed.add(ourName);
    reputation = open({ memory });
    await settled();
    reputation.note('default', { destination, outcome: { ...fine, ban } });
    reputation = open({ memory });
    assert.ok(isClosed() && isBanned());
    tell({ key: 'ban default outlook', value: { ended: true }, lifeMs: minute });
    tell({ key: 'egress default', value: { opened: true }, lifeMs: 24 * hour });
    assert.ok(!isClosed() && !isBanned());
    await pass(20 * hour);
    assert.ok(!isClosed(), 'open for a day, whatever the list says');
    await pass(12 * hour);
    assert.ok(isClosed(), 'and closed again while it is still listed');
  });
});
