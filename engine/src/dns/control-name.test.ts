import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { encode } from 'dns-packet';
import { systemClock } from '../clock.ts';
import { defaultLimits } from '../limits.ts';
import { createControlName } from './control-name.ts';
import { createResolver } from './create-resolver.ts';
import { createTestClock } from '../../test/support/test-clock.ts';
import { findMailRoute } from './find-mail-route.ts';
import { hasty, host, loopbackBench, patience, within } from '../../test/support/loopback-bench.ts';
import type { Zone } from '../../test/support/loopback-dns.ts';
import type { Lookup } from './lookup.ts';

const name = host('sender.test');
const signal = new AbortController().signal;

type Word = 'found' | 'no_data' | 'no_such_name' | 'failed';

/** A control over a resolver that says `word` of its name; counts how often it is asked and told to forget. */
function controlOver(first: Word) {
  const clock = createTestClock();
  const state = { word: first, asked: 0, forgotten: 0 };
  const say = (): Promise<Lookup<never>> => {
    state.asked += 1;
    switch (state.word) {
      case 'found':
        return Promise.resolve({ kind: 'found', records: [] });
      case 'failed':
        return Promise.resolve({ kind: 'failed', failure: 'silence' });
      case 'no_data':
      case 'no_such_name':
        return Promise.resolve({ kind: state.word });
    }
  };
  const forgetMissing = () => (state.forgotten += 1);
  const control = createControlName({
    name,
    resolver: { uncached: { mx: say, ipv4: say }, forgetMissing },
    clock,
  });
  const inDoubt = (since = clock.now()) => control.inDoubt(since, { deadline: clock.now() + 1_000, signal });
  return { clock, state, inDoubt };
}

describe('the control name', () => {
  for (const word of ['no_such_name', 'failed'] as const) {
    test(`${word}, and it never resolved: it says nothing`, async () => {
      const { inDoubt } = controlOver(word);
      assert.equal(await inDoubt(), false);
    });

    test(`${word} after it had resolved: doubt, and every "no such name" is forgotten`, async () => {
      const { clock, state, inDoubt } = controlOver('found');
      assert.equal(await inDoubt(), false);
      state.word = word;
      clock.advance(30_000);
      assert.equal(await inDoubt(), true);
      assert.equal(state.forgotten, 1);
    });
  }

  test('a domain without records still resolves', async () => {
    const { clock, state, inDoubt } = controlOver('no_data');
    assert.equal(await inDoubt(), false);
    state.word = 'no_such_name';
    clock.advance(30_000);
    assert.equal(await inDoubt(), true);
  });

  test('it is asked at most every 30 seconds, by however many', async () => {
    const { clock, state, inDoubt } = controlOver('found');
    await Promise.all(Array.from({ length: 20 }, () => inDoubt()));
    clock.advance(29_999);
    await inDoubt();
    assert.equal(state.asked, 2);
    clock.advance(1);
    await inDoubt();
    assert.equal(state.asked, 4);
  });

  test('when it is back, only what was found since is believed', async () => {
    const { clock, state, inDoubt } = controlOver('found');
    await inDoubt();
    state.word = 'no_such_name';
    clock.advance(30_000);
    assert.equal(await inDoubt(), true);
    state.word = 'found';
    const before = clock.now() + 10_000;
    clock.advance(30_000);
    assert.equal(await inDoubt(before), true, 'began while it was lost');
    assert.equal(state.forgotten, 2);
    assert.equal(await inDoubt(clock.now()), false);
  });

  test('a check that is not over at the deadline leaves doubt, if there was a control at all', async () => {
    const clock = createTestClock();
    let answer: Promise<Lookup<never>> = Promise.resolve({ kind: 'no_data' });
    const uncached = { mx: () => answer, ipv4: () => answer };
    const control = createControlName({
      name,
      resolver: { uncached, forgetMissing: () => undefined },
      clock,
    });
    const ask = () => control.inDoubt(clock.now(), { deadline: clock.now() + 50, signal });
    assert.equal(await ask(), false);
    answer = new Promise(() => undefined);
    clock.advance(30_000);
    const late = ask();
    clock.advance(50);
    assert.equal(await late, true);
  });
});

describe('a resolver that has lost its way', () => {
  const bench = loopbackBench();
  after(() => bench.close());
  const living: Zone = {
    'sender.test': { mx: [[1, 'mx.sender.test']] },
    'example.test': { mx: [[1, 'mx.example.test']] },
    'mx.example.test': { a: ['192.0.2.1'] },
  };

  /** A search with a control whose 30 seconds can be made to pass. */
  async function searchIn(zone: Zone, silent: (queried: string) => boolean = () => false) {
    const dns = await bench.server(zone, ({ query, reply }) => (silent(query.name) ? [] : [encode(reply)]));
    let skipped = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + skipped };
    const resolver = createResolver({ servers: [dns], clock, limits: defaultLimits });
    bench.onClose(() => resolver.close());
    const control = createControlName({ name, resolver, clock });
    const search = (domain: string) =>
      findMailRoute(
        host(domain),
        { resolver, clock, limits: defaultLimits, control },
        { ...patience(), deadline: clock.now() + 10_000 },
      );
    return { dns, search, skip: (ms: number) => (skipped += ms) };
  }

  const gone = { kind: 'refuses_mail', why: 'no_such_domain' };
  const doubt = { kind: 'undetermined', failure: 'malformed' };

  test('says "no such name" of everything: nothing is concluded, then or from the cache later', async () => {
    const { dns, search, skip } = await searchIn(living);
    assert.deepEqual(await search('gone.test'), gone);
    dns.zone = {};
    skip(30_000);
    assert.deepEqual(await search('example.test'), doubt);
    assert.deepEqual(await search('gone.test'), doubt);
    dns.zone = living;
    skip(30_000);
    // The first search after the recovery may hold answers from before it.
    assert.deepEqual(await search('gone.test'), doubt);
    assert.equal((await search('example.test')).kind, 'takes_mail');
    assert.deepEqual(await search('gone.test'), gone);
  });

  test('mail hosts that are unknown all at once are no proof either', async () => {
    const { dns, search, skip } = await searchIn(living);
    assert.deepEqual(await search('gone.test'), gone);
    dns.zone = { 'other.test': { mx: [[1, 'mx.other.test']] } };
    skip(30_000);
    assert.deepEqual(await search('other.test'), doubt);
  });

  test('a control that never resolved: two agreeing answers decide', async () => {
    const { search } = await searchIn({});
    assert.deepEqual(await search('gone.test'), gone);
  });

  test('a control that falls silent is waited for one second', async () => {
    let mute = false;
    const { search, skip } = await searchIn(living, (queried) => mute && queried === 'sender.test');
    assert.deepEqual(await search('gone.test'), gone);
    mute = true;
    skip(30_000);
    assert.deepEqual(await within(1_000, search('nowhere.test')), doubt);
  });

  test('a server that dies in the middle of a bulk: nothing is concluded from its silence', async () => {
    const zone: Zone = { 'mx.example.test': { a: ['192.0.2.1'] } };
    const domains = Array.from({ length: 60 }, (_, index) => `d${index}.test`);
    for (const domain of domains) zone[domain] = { mx: [[1, 'mx.example.test']] };
    let answered = 0;
    const dns = await bench.server(zone, ({ reply }) => ((answered += 1) > 25 ? [] : [encode(reply)]));
    const parts = { resolver: bench.resolver([dns], hasty), clock: systemClock, limits: defaultLimits };
    const routes = await Promise.all(domains.map((domain) => findMailRoute(host(domain), parts, patience())));
    const kinds = new Set(routes.map(({ kind }) => kind));
    assert.ok(kinds.has('undetermined'));
    assert.ok(!kinds.has('refuses_mail'));
  });

  test('the control is asked only when "no such name" is to be believed, and beside the confirmation', async () => {
    const { dns, search } = await searchIn(living);
    await search('example.test');
    assert.ok(!dns.queries.some((query) => query.name === 'sender.test'));
    await search('gone.test');
    assert.equal(dns.queries.filter((query) => query.name === 'sender.test').length, 2);
  });
});
