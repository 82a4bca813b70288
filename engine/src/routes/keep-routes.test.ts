import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import type { MemoryNamespace } from '../memory.ts';
import { createRoutes } from './create-routes.ts';
import { endOfRouteRests, keepRoutes } from './keep-routes.ts';

/** Processes that share one memory; each hears of the entries of the others. */
function startProcesses(signatures: string[]) {
  const clock = createTestClock();
  const kept = new Map<string, unknown>();
  const followers = new Map<string, Parameters<MemoryNamespace['follow']>[0]>();
  const start = (signature: string, id = 'default') => {
    const routes = createRoutes({
      settings: [{ id, kind: 'direct', perDay: 10 }],
      defaults: { heloName: 'probe.example', mailFrom: 'verify@probe.example' },
      clock,
      wallClock: { now: () => 1_800_000_000_000 + clock.now() },
      limits: defaultLimits,
      heedsBlocks: true,
      dialerFor: () => ({
        counts: { dialled: 0, forbidden: 0, breaches: 0 },
        dial: () => Promise.resolve({ kind: 'failed', why: 'timeout' }),
      }),
      onProblem: () => undefined,
    });
    const memory: MemoryNamespace = {
      follow(take) {
        for (const [key, value] of kept) take({ key, value, lifeMs: 1_000 });
        followers.set(signature, take);
      },
      learn(key, value) {
        kept.set(key, structuredClone(value));
        for (const [by, take] of followers) if (by !== signature) take({ key, value, lifeMs: 1_000 });
      },
    };
    return keepRoutes(routes, { memory, clock, signature });
  };
  const choose = (routes: ReturnType<typeof start>, group = 'x.example'): string => {
    const choice = routes.choose({ group, address: '192.0.2.1', allowed: undefined });
    return choice.kind === 'route' ? choice.route.id : choice.why;
  };
  /** The operator's entry, which every process hears in its own time. */
  const tell = (key: string, value: unknown, to: string[]) => {
    kept.set(key, value);
    for (const by of to) followers.get(by)?.({ key, value, lifeMs: 1_000 });
  };
  return { clock, start, choose, tell, all: signatures.map((signature) => start(signature)) };
}

describe('the routes of several processes', () => {
  it('have one volume a day, which outlives each of them', () => {
    const { clock, start, choose, all } = startProcesses(['one', 'two']);
    for (const routes of all)
      for (let n = 0; n < 4; n += 1) routes.note('default', { kind: 'opened', group: 'x.example' });
    clock.advance(1_000);
    assert.deepEqual(
      all.map((routes) => [routes.state()[0]?.openedToday, routes.own()[0]?.openedToday]),
      [
        [8, 4],
        [8, 4],
      ],
    );
    for (const routes of all) routes.stop();
    const third = start('three');
    assert.equal(third.state()[0]?.openedToday, 8);
    for (let n = 0; n < 2; n += 1) third.note('default', { kind: 'opened', group: 'x.example' });
    assert.equal(choose(third), 'volume_spent');
    clock.advance(1_000);
    assert.deepEqual(
      all.map((routes) => choose(routes)),
      ['volume_spent', 'volume_spent'],
    );
  });

  it('rest together', () => {
    const { clock, choose, all } = startProcesses(['one', 'two']);
    const [one, two] = all;
    assert.ok(one !== undefined && two !== undefined);
    for (const group of ['google', 'outlook', 'google', 'google', 'google'])
      one.note('default', { kind: 'blocked', group });
    assert.equal(choose(two), 'default');
    clock.advance(1_000);
    assert.equal(choose(two), 'all_resting');
    // An entry that the other keeps later does not end it.
    two.note('default', { kind: 'connected', group: 'x.example' });
    clock.advance(1_000);
    assert.deepEqual([choose(one), choose(two)], ['all_resting', 'all_resting']);
  });

  it('are used again when the operator ends their rest, though another process tells of it later', () => {
    const { clock, start, choose, tell, all } = startProcesses(['one', 'two']);
    const [one, two] = all;
    assert.ok(one !== undefined && two !== undefined);
    const block = () => {
      for (const group of ['google', 'outlook', 'google', 'google', 'google'])
        one.note('default', { kind: 'blocked', group });
    };
    block();
    clock.advance(1_000);
    assert.deepEqual([choose(one), choose(two)], ['all_resting', 'all_resting']);

    const { key, value } = endOfRouteRests('default', { at: 1_800_000_000_000 + clock.now(), lifeMs: 1_000 });
    tell(key, value, ['two']);
    assert.deepEqual([choose(one), choose(two)], ['all_resting', 'default']);
    // The other has not heard of it yet, and keeps its state once more.
    one.note('default', { kind: 'connected', group: 'x.example' });
    clock.advance(1_000);
    assert.equal(choose(two), 'default');
    tell(key, value, ['one']);
    clock.advance(1_000);
    assert.deepEqual([choose(one), choose(two), choose(start('three'))], ['default', 'default', 'default']);

    block();
    clock.advance(1_000);
    assert.deepEqual([choose(one), choose(two)], ['all_resting', 'all_resting'], 'blocked anew');
  });

  it('are no way around a block, if each process has a route of its own', () => {
    const { clock, start, choose } = startProcesses([]);
    const [one, two] = [start('one', 'here'), start('two', 'there')];
    one.note('here', { kind: 'blocked', group: 'g.example' });
    assert.equal(choose(two, 'g.example'), 'there');
    clock.advance(1_000);
    assert.equal(choose(two, 'g.example'), 'all_resting');
    assert.equal(choose(two, 'other.example'), 'there');
  });
});
