import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { host, patience } from '../../test/support/loopback-bench.ts';
import { takes } from '../../test/support/loopback-routes.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import type { DnsQuestion } from './lookup.ts';
import type { MailRoute } from './mail-route.ts';
import { believeDenials, rememberMailRoutes } from './open-mail-routes.ts';
import type { Proof } from './watch-resolver.ts';

const gone: MailRoute = { kind: 'refuses_mail', why: 'no_such_domain' };
const living = takes(['mx.test']);
const failed: MailRoute = { kind: 'undetermined', failure: 'servfail' };
const denies: MailRoute = { kind: 'undetermined', failure: 'denies_known_names' };
const unproved: MailRoute = { kind: 'undetermined', failure: 'denial_unproved' };

type Told = {
  /** The finding of each search in turn; the last one repeats. */
  routes: MailRoute[];
  /** The same of each server alone. */
  atServers?: MailRoute[];
  /** The proofs of each server, in turn. */
  proofs?: Proof[][];
};

async function find(domain: string, { routes, atServers = [gone], proofs = [] }: Told) {
  const seen = { searches: 0, proved: [] as number[], denied: [] as string[] };
  const inTurn = <Value>(values: readonly Value[], turn: number): Value => {
    const value = values[Math.min(turn, values.length - 1)];
    if (value === undefined) throw new Error('nothing to tell');
    return value;
  };
  const route = await believeDenials({
    clock: createTestClock(),
    limits: defaultLimits,
    watch: {
      prove(server) {
        const turn = seen.proved.filter((one) => one === server).length;
        seen.proved.push(server);
        return Promise.resolve(inTurn(proofs[server] ?? [], turn));
      },
      noteDenied: (name) => void seen.denied.push(name),
    },
    takesMailForCertain: (name) => name === 'large.test',
    findMailRoute: () => Promise.resolve(inTurn(routes, seen.searches++)),
    findAtServers: atServers.map((found) => () => Promise.resolve(found)),
  })(host(domain), patience());
  return { route, ...seen };
}

describe('a route that says "no mail"', () => {
  test('of a resolver that has proved itself since: the domain is dead', async () => {
    const { route, proved } = await find('small.test', { routes: [gone], proofs: [['proved']] });
    assert.deepEqual([route, proved], [gone, [0]]);
  });

  test('of any other: undetermined', async () => {
    assert.deepEqual((await find('a.test', { routes: [gone], proofs: [['denies']] })).route, denies);
    assert.deepEqual((await find('a.test', { routes: [gone], proofs: [['unproved']] })).route, unproved);
  });

  test('a domain that is found, or fails, costs no control', async () => {
    for (const found of [living, failed]) {
      const { route, proved, searches } = await find('small.test', { routes: [found] });
      assert.deepEqual([route, proved, searches], [found, [], 1]);
    }
  });

  test('one from before the resolver recovered is searched for again', async () => {
    const { route, searches } = await find('small.test', { routes: [gone, living], proofs: [['recovered']] });
    assert.deepEqual([route, searches], [living, 2]);
    const twice = await find('small.test', { routes: [gone], proofs: [['recovered', 'proved']] });
    assert.deepEqual([twice.route, twice.searches], [gone, 2]);
    const never = await find('small.test', { routes: [gone], proofs: [['recovered']] });
    assert.deepEqual([never.route, never.searches], [unproved, 2]);
  });

  test('of a large provider condemns the resolver, and needs no control', async () => {
    const { route, proved, denied } = await find('large.test', { routes: [gone] });
    assert.deepEqual([route, proved, denied], [denies, [], ['large.test']]);
    const implicit: MailRoute = { ...living, implicit: true };
    assert.deepEqual((await find('large.test', { routes: [implicit] })).route, denies);
    assert.deepEqual((await find('small.test', { routes: [implicit] })).route, implicit);
  });
});

describe('several resolvers', () => {
  test('one denies, one finds: the finding wins, whatever is proved', async () => {
    const atServers = [gone, living];
    const { route, proved } = await find('small.test', { routes: [gone], atServers, proofs: [['proved']] });
    assert.deepEqual([route, proved], [living, []]);
    const large = await find('large.test', { routes: [gone], atServers });
    assert.deepEqual([large.route, large.denied], [living, []]);
  });

  test('all deny: one that has proved itself is enough', async () => {
    const proofs: Proof[][] = [['denies'], ['proved']];
    const { route, proved } = await find('small.test', { routes: [gone], atServers: [gone, gone], proofs });
    assert.deepEqual([route, proved], [gone, [0, 1]]);
  });

  test('a server that fails proves nothing and is in no other’s way', async () => {
    const told = {
      routes: [gone],
      atServers: [failed, gone],
      proofs: [['unproved'], ['proved']] as Proof[][],
    };
    const { route, proved } = await find('small.test', told);
    assert.deepEqual([route, proved], [gone, [1]]);
    assert.deepEqual(
      (await find('small.test', { ...told, atServers: [failed, failed] })).route,
      failed,
      'the denial is not heard again',
    );
  });
});

const endlessPatience = { deadline: Infinity, signal: new AbortController().signal };

const domain = host('example.test');
const first = { name: host('mx.example.test'), addresses: ['192.0.2.1'] };
const takesMail: MailRoute = {
  kind: 'takes_mail',
  implicit: false,
  mxRecords: [first.name],
  preferred: 1,
  first,
  further: [],
};

function setUp(route: MailRoute, lives: Record<string, number>) {
  const clock = createTestClock();
  let found = 0;
  const routes = rememberMailRoutes({
    clock,
    limits: defaultLimits,
    resolver: { lifeMs: ({ name, type }: DnsQuestion) => lives[`${type} ${name}`] ?? 0 },
    findMailRoute: () => {
      found += 1;
      return Promise.resolve(route);
    },
  });
  return { routes, advance: (ms: number) => clock.advance(ms), found: () => found };
}

const lives = { 'MX example.test': 60_000, 'A mx.example.test': 30_000, 'AAAA mx.example.test': 45_000 };

test('a route is recalled until the first of its answers runs out', async () => {
  const { routes, advance, found } = setUp(takesMail, lives);
  assert.equal(routes.recall(domain), undefined);
  await routes.find(domain, endlessPatience);
  assert.deepEqual(routes.recall(domain), takesMail);
  advance(29_999);
  assert.deepEqual(await routes.find(domain, endlessPatience), takesMail);
  assert.equal(found(), 1);
  advance(1);
  assert.equal(routes.recall(domain), undefined);
  await routes.find(domain, endlessPatience);
  assert.equal(found(), 2);
});

test('a route with an answer that may not be kept is not remembered', async () => {
  const { routes } = setUp(takesMail, { ...lives, 'MX example.test': 0 });
  await routes.find(domain, endlessPatience);
  assert.equal(routes.recall(domain), undefined);
});

test('a route with IPv4 addresses is remembered without AAAA records, one of IPv6 alone not', async () => {
  const ofIpv4 = { ...lives, 'AAAA mx.example.test': 0 };
  const { routes } = setUp(takesMail, ofIpv4);
  await routes.find(domain, endlessPatience);
  assert.deepEqual(routes.recall(domain), takesMail);
  const overIpv6: MailRoute = { ...takesMail, first: { ...first, addresses: ['2001:db8::1'] } };
  const { routes: ofIpv6 } = setUp(overIpv6, ofIpv4);
  await ofIpv6.find(domain, endlessPatience);
  assert.equal(ofIpv6.recall(domain), undefined);
});

test('an undetermined route is found out anew each time', async () => {
  const route = { kind: 'undetermined', failure: 'servfail' } as const;
  const { routes, found } = setUp(route, { 'MX example.test': 60_000 });
  await routes.find(domain, endlessPatience);
  await routes.find(domain, endlessPatience);
  assert.equal(routes.recall(domain), undefined);
  assert.equal(found(), 2);
});

/** Of the domain: the lives of its records, and whether the refusal is remembered. */
const refusals = [
  { why: 'null_mx', lives: { MX: 60_000 }, remembered: true },
  { why: 'no_such_domain', lives: { MX: 60_000, A: 60_000 }, remembered: true },
  { why: 'no_such_domain', lives: { MX: 60_000 }, remembered: false },
  { why: 'no_mail_host', lives: { MX: 60_000, A: 60_000, AAAA: 60_000 }, remembered: true },
  { why: 'no_mail_host_resolves', lives: { MX: 60_000, A: 60_000, AAAA: 60_000 }, remembered: false },
] as const;
for (const { why, lives: lifeOf, remembered } of refusals) {
  const title = `${why} is ${remembered ? 'believed without another proof' : 'proved anew'} while ${Object.keys(lifeOf).join(', ')} live`;
  test(title, async () => {
    const named = Object.fromEntries(
      Object.entries(lifeOf).map(([type, ms]) => [`${type} example.test`, ms]),
    );
    const { routes, found } = setUp({ kind: 'refuses_mail', why }, named);
    await routes.find(domain, endlessPatience);
    await routes.find(domain, endlessPatience);
    assert.equal(found(), remembered ? 1 : 2);
  });
}
