import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { host, patience } from '../../test/support/loopback-bench.ts';
import { takes } from '../../test/support/loopback-routes.ts';
import { defaultLimits } from '../limits.ts';
import { believeDenials } from './believe-denials.ts';
import type { MailRoute } from './mail-route.ts';
import type { Proof } from './watch-resolver.ts';

const gone: MailRoute = { kind: 'refuses_mail', why: 'no_such_domain' };
const living = takes(['mx.test']);
const failed: MailRoute = { kind: 'undetermined', failure: 'servfail' };
const denies: MailRoute = { kind: 'undetermined', failure: 'denies_known_names' };
const unproved: MailRoute = { kind: 'undetermined', failure: 'denial_unproved' };

type Told = {
  /** What each search finds in turn; the last one again and again. */
  routes: MailRoute[];
  /** The same of each server alone. */
  atServers?: MailRoute[];
  /** What comes of the proofs of each server, in turn. */
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

  test('of any other: nobody can tell', async () => {
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

  test('one that fails proves nothing and stands in nobody’s way', async () => {
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
