import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createTestClock } from '../../test/support/test-clock.ts';
import { host } from '../../test/support/loopback-bench.ts';
import { defaultLimits } from '../limits.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Lookup } from './lookup.ts';
import type { MailRoute } from './mail-route.ts';
import { watchResolver } from './watch-resolver.ts';

const tenMinutes = 600_000;
const halfMinute = 30_000;
const signal = new AbortController().signal;

type Word = 'found' | 'no_data' | 'no_such_name' | 'failed';

/** A watch over a resolver that says `words` of the names that are in them and finds all others. */
function watchOver(words: Record<string, Word>, names = ['large.test', 'vast.test']) {
  const clock = createTestClock();
  const state = { words, asked: [] as string[], forgotten: 0, lines: [] as string[] };
  const say = (name: string): Promise<Lookup<never>> => {
    state.asked.push(name);
    const word = state.words[name] ?? 'found';
    if (word === 'failed') return Promise.resolve({ kind: 'failed', failure: 'silence' });
    return Promise.resolve(word === 'found' ? { kind: 'found', records: [] } : { kind: word });
  };
  const watch = watchResolver({
    names: names.map(host),
    resolver: { uncached: { mx: say, ipv4: say }, forgetMissing: () => (state.forgotten += 1) },
    findMailRoute: async (domain) => routeOf(domain, await say(domain)),
    clock,
    limits: defaultLimits,
    onProblem: (line) => void state.lines.push(line),
  });
  const inDoubt = (since = clock.now()) => watch.inDoubt(since, { deadline: clock.now() + 1_000, signal });
  /** Lets the round that has begun come to its end. */
  const settle = () => setImmediate();
  return { watch, clock, state, inDoubt, settle };
}

function routeOf(domain: CanonicalHost, { kind }: Lookup<never>): MailRoute {
  const first = { name: domain, addresses: ['192.0.2.1'] };
  if (kind === 'failed') return { kind: 'undetermined', failure: 'silence' };
  if (kind === 'no_such_name') return { kind: 'refuses_mail', why: 'no_such_domain' };
  const implicit = kind === 'no_data';
  return { kind: 'takes_mail', implicit, mxRecords: [domain], preferred: 1, first, further: [] };
}

describe('the watch over the resolver', () => {
  test('a resolver that knows the names is believed, and asked again after ten minutes', async () => {
    const { watch, clock, state, inDoubt, settle } = watchOver({});
    assert.equal(await inDoubt(), false);
    assert.deepEqual(watch.state(), { kind: 'in_order' });
    assert.equal(state.asked.length, 4);
    clock.advance(tenMinutes - 1);
    assert.equal(state.asked.length, 4);
    clock.advance(1);
    await settle();
    assert.equal(state.asked.length, 8);
    assert.deepEqual(state.lines, []);
  });

  for (const word of ['no_such_name', 'no_data'] as const) {
    test(`${word} for one of them puts every denial in doubt, with one line`, async () => {
      const { watch, clock, state, inDoubt, settle } = watchOver({ 'vast.test': word });
      assert.equal(await inDoubt(), true);
      assert.equal(watch.state().kind, 'denies');
      clock.advance(halfMinute);
      await settle();
      assert.equal(state.asked.length, 8, 'it is asked again soon');
      assert.equal(state.lines.length, 1);
      assert.match(state.lines[0] ?? '', /denies what is known to exist \(vast\.test\)/);
    });
  }

  test('silence is no denial, and no proof either', async () => {
    const { watch, clock, state, inDoubt, settle } = watchOver({
      'large.test': 'failed',
      'vast.test': 'failed',
    });
    assert.equal(await inDoubt(), false);
    state.words = { 'large.test': 'no_such_name' };
    clock.advance(tenMinutes);
    await settle();
    assert.equal(watch.state().kind, 'denies');
    state.words = { 'large.test': 'failed', 'vast.test': 'failed' };
    clock.advance(halfMinute);
    await settle();
    assert.equal(watch.state().kind, 'denies', 'silence does not lift the doubt');
  });

  test('once the names are found again denials are believed, but not those gathered before', async () => {
    const { watch, clock, state, inDoubt, settle } = watchOver({ 'large.test': 'no_such_name' });
    await settle();
    const before = clock.now();
    state.words = {};
    clock.advance(halfMinute);
    await settle();
    assert.deepEqual(watch.state(), { kind: 'in_order' });
    assert.deepEqual([await inDoubt(before), await inDoubt()], [true, false]);
    assert.equal(state.forgotten, 2, 'what was denied left the cache on the way in and on the way out');
    assert.equal(state.lines.length, 2);
  });

  test('a provider that a verification met as denied is asked along until it is found', async () => {
    const { watch, clock, state, inDoubt, settle } = watchOver({ 'provider.test': 'no_such_name' });
    assert.equal(await inDoubt(), false);
    watch.noteDenied(host('provider.test'));
    watch.noteDenied(host('provider.test'));
    assert.equal(await inDoubt(), true);
    clock.advance(halfMinute);
    await settle();
    assert.equal(watch.state().kind, 'denies');
    assert.ok(state.asked.includes('provider.test'));
    state.words = {};
    clock.advance(halfMinute);
    await settle();
    assert.equal(watch.state().kind, 'in_order');
    assert.equal(state.lines.length, 2);
  });

  test('a provider is found again by its mail hosts: neither an address nor silence will do', async () => {
    const { watch, clock, state, settle } = watchOver({ 'provider.test': 'no_data' });
    await settle();
    watch.noteDenied(host('provider.test'));
    for (const word of ['no_data', 'failed'] as const) {
      state.words = { 'provider.test': word };
      clock.advance(halfMinute);
      await settle();
      assert.equal(watch.state().kind, 'denies', word);
    }
    state.words = {};
    clock.advance(halfMinute);
    await settle();
    assert.equal(watch.state().kind, 'in_order');
  });

  test('a round that began before a provider was met as denied does not clear it', async () => {
    const { watch, settle } = watchOver({});
    watch.noteDenied(host('provider.test'));
    await settle();
    assert.equal(watch.state().kind, 'denies');
  });

  test('without names (a closed network) nobody is asked, nothing is doubted, and the operator is told', async () => {
    const { watch, clock, state, inDoubt } = watchOver({}, []);
    watch.noteDenied(host('provider.test'));
    watch.noteDenied(host('provider.test'));
    clock.advance(tenMinutes);
    assert.equal(await inDoubt(), false);
    assert.deepEqual(watch.state(), { kind: 'in_order' });
    assert.deepEqual([state.asked.length, state.lines.length], [0, 1]);
  });

  test('stopped, it asks no more', async () => {
    const { watch, clock, state, settle } = watchOver({});
    await settle();
    watch.stop();
    clock.advance(10 * tenMinutes);
    assert.equal(state.asked.length, 4);
  });
});
