import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createTestClock } from '../../test/support/test-clock.ts';
import { host } from '../../test/support/loopback-bench.ts';
import { defaultLimits } from '../limits.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { MailRoute } from './mail-route.ts';
import type { DnsAnswer } from './lookup.ts';
import { watchResolver } from './watch-resolver.ts';

const { resolverControlMs, resolverProbeMs, resolverProbeAgainMs } = defaultLimits;
const signal = new AbortController().signal;

type Word = 'found' | 'no_data' | 'no_such_name' | 'failed';

/** A watch over resolvers that say `words` of the names that are in them and find all others. */
function watchOver(words: Record<string, Word>, { names = ['large.test', 'vast.test'], servers = 1 } = {}) {
  const clock = createTestClock();
  const state = {
    words,
    asked: [] as { server: number; name: string }[],
    forgotten: [] as string[],
    lines: [] as string[],
  };
  const wordFor = (name: string): Word => state.words[name] ?? state.words['*'] ?? 'found';
  const watch = watchResolver({
    names: { certain: names.map(host), further: [] },
    resolver: {
      servers,
      askServer(server, { name }) {
        state.asked.push({ server, name });
        return Promise.resolve(answerOf(state.words[`${server}`] ?? wordFor(name)));
      },
      forgetMissing: () => state.forgotten.push('missing'),
      forgetAll: () => state.forgotten.push('all'),
    },
    findMailRoute: (domain) => Promise.resolve(routeOf(domain, wordFor(domain))),
    leadsNowhere: () => false,
    clock,
    limits: defaultLimits,
    onProblem: (line) => void state.lines.push(line),
  });
  const patience = () => ({ deadline: clock.now() + 10 * resolverControlMs, signal });
  /** Lets time pass until the proof is there. */
  async function prove({ server = 0, since = clock.now() } = {}) {
    const proof = watch.prove(server, since, patience());
    const state = { isOver: false };
    void proof.finally(() => (state.isOver = true));
    await setImmediate();
    while (!state.isOver) {
      clock.advance(resolverControlMs);
      await setImmediate();
    }
    return proof;
  }
  return { watch, clock, state, prove, patience, settle: () => setImmediate() };
}

function answerOf(word: Word): DnsAnswer {
  switch (word) {
    case 'found':
      return { lookup: { kind: 'found', records: [{ text: 'mx.test', preference: 10 }] }, ttlS: 300 };
    case 'failed':
      return { lookup: { kind: 'failed', failure: 'silence' }, ttlS: 0 };
    case 'no_data':
    case 'no_such_name':
      return { lookup: { kind: word }, ttlS: 60 };
  }
}

function routeOf(domain: CanonicalHost, word: Word): MailRoute {
  const first = { name: domain, addresses: ['192.0.2.1'] };
  if (word === 'failed') return { kind: 'undetermined', failure: 'silence' };
  if (word === 'no_such_name') return { kind: 'refuses_mail', why: 'no_such_domain' };
  const implicit = word === 'no_data';
  return { kind: 'takes_mail', implicit, mxRecords: [domain], preferred: 1, first, further: [] };
}

describe('a denial is believed when the resolver has just proved itself', () => {
  test('a resolver that finds the names is asked after the denial, and proved', async () => {
    const { state, prove, settle } = watchOver({});
    await settle();
    const { length } = state.asked;
    assert.equal(await prove(), 'proved');
    assert.equal(state.asked.length, length + 2, 'a control of before does not do');
    assert.deepEqual(state.lines, []);
  });

  test('one control serves all denials before it, so they cost less than two queries a second', async () => {
    const { watch, clock, state, patience, settle } = watchOver({});
    await settle();
    clock.advance(resolverControlMs);
    const before = { at: clock.now(), asked: state.asked.length };
    let proved = 0;
    for (let ms = 0; ms < 60_000; ms += 50) {
      for (let count = 0; count < 50; count += 1)
        void watch.prove(0, clock.now(), patience()).then((proof) => (proved += Number(proof === 'proved')));
      await settle();
      clock.advance(50);
    }
    await settle();
    const seconds = (clock.now() - before.at) / 1_000;
    const asked = state.asked.length - before.asked;
    assert.ok(asked > 0 && asked < 2 * seconds, `${asked} in ${seconds} s`);
    assert.ok(proved > 50_000, `${proved} proved`);
  });

  test('no control is made without a denial, but for one a minute', async () => {
    const { clock, state, settle } = watchOver({});
    await settle();
    assert.equal(state.asked.length, 2);
    clock.advance(resolverProbeMs - 1);
    await settle();
    assert.equal(state.asked.length, 2);
    clock.advance(1);
    await settle();
    assert.equal(state.asked.length, 4);
  });

  for (const word of ['no_such_name', 'no_data'] as const) {
    test(`${word} of everything, from one moment on: nothing is proved, and the operator is told once`, async () => {
      const { watch, state, prove } = watchOver({});
      assert.equal(await prove(), 'proved');
      state.words = { '*': word };
      assert.equal(await prove(), 'denies');
      assert.equal(await prove(), 'denies');
      assert.equal(watch.state().kind, 'denies');
      assert.equal(state.lines.length, 1);
      assert.match(state.lines[0] ?? '', /denies what is known to exist \(\w+\.test/);
      assert.deepEqual(state.forgotten, ['missing']);
    });
  }

  test('silence proves nothing, and condemns no address', async () => {
    const { watch, prove } = watchOver({ '*': 'failed' });
    assert.equal(await prove(), 'unproved');
    assert.deepEqual(watch.state(), { kind: 'in_order' });
  });

  test('once the names are found again denials are believed, but not those of before', async () => {
    const { watch, clock, state, prove, settle } = watchOver({ '*': 'no_such_name' });
    await settle();
    const before = clock.now();
    state.words = {};
    clock.advance(resolverProbeAgainMs);
    await settle();
    assert.deepEqual(watch.state(), { kind: 'in_order' }, 'without any denial');
    clock.advance(1);
    assert.deepEqual([await prove({ since: before }), await prove()], ['recovered', 'proved']);
    assert.deepEqual(state.forgotten, ['missing', 'all'], 'answers found meanwhile are forgotten too');
    assert.equal(state.lines.length, 2);
  });

  test('each resolver proves itself, and no other', async () => {
    const { watch, state, prove } = watchOver({ '1': 'no_such_name' }, { servers: 2 });
    assert.deepEqual([await prove({ server: 0 }), await prove({ server: 1 })], ['proved', 'denies']);
    assert.equal(watch.state().kind, 'denies');
    assert.equal(state.lines.length, 1);
  });

  test('a caller that does not wait for the control gets no proof', async () => {
    const { watch, clock, patience } = watchOver({});
    const impatient = watch.prove(0, clock.now(), { ...patience(), deadline: clock.now() });
    clock.advance(1);
    assert.equal(await impatient, 'unproved');
  });

  test('a provider that a verification met as denied is asked along until it is found', async () => {
    const { watch, clock, state, prove, settle } = watchOver({ 'provider.test': 'no_such_name' });
    assert.equal(await prove(), 'proved');
    watch.noteDenied(host('provider.test'));
    watch.noteDenied(host('provider.test'));
    assert.equal(await prove(), 'denies');
    clock.advance(resolverProbeAgainMs);
    await settle();
    assert.equal(watch.state().kind, 'denies');
    state.words = {};
    clock.advance(resolverProbeAgainMs);
    await settle();
    assert.equal(watch.state().kind, 'in_order');
    clock.advance(1);
    assert.equal(await prove(), 'proved');
    assert.equal(state.lines.length, 2);
  });

  test('a provider is found again by its mail hosts: neither an address nor silence will do', async () => {
    const { watch, clock, state, settle } = watchOver({ 'provider.test': 'no_data' });
    await settle();
    watch.noteDenied(host('provider.test'));
    for (const word of ['no_data', 'failed'] as const) {
      state.words = { 'provider.test': word };
      clock.advance(resolverProbeAgainMs);
      await settle();
      assert.equal(watch.state().kind, 'denies', word);
    }
    state.words = {};
    clock.advance(resolverProbeAgainMs);
    await settle();
    assert.equal(watch.state().kind, 'in_order');
  });

  test('without names (a closed network) no question is asked, everything is believed, and the operator is told', async () => {
    const { watch, clock, state, patience } = watchOver({ '*': 'no_such_name' }, { names: [] });
    watch.noteDenied(host('provider.test'));
    watch.noteDenied(host('provider.test'));
    clock.advance(resolverProbeMs - 1);
    assert.equal(await watch.prove(0, clock.now(), patience()), 'proved');
    assert.deepEqual(watch.state(), { kind: 'in_order' });
    assert.deepEqual([state.asked.length, state.lines.length], [0, 1]);
  });

  test('stopped, it asks no more, and no caller waits for it', async () => {
    const { watch, clock, state, patience, settle } = watchOver({});
    await settle();
    const { length } = state.asked;
    const waiting = watch.prove(0, clock.now(), patience());
    const late = watch.prove(0, clock.now(), patience());
    watch.stop();
    clock.advance(10 * resolverProbeMs);
    assert.notEqual(await late, 'denies');
    assert.notEqual(await waiting, 'denies');
    assert.ok(state.asked.length <= length + 2);
  });
});
