import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Slot } from '@mailproof/engine';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { createSlots, slotLimits, type SlotLimits } from './slots.ts';

const whenever = new AbortController().signal;

function setUp(limits: SlotLimits) {
  const time = createTestClock();
  const slots = createSlots({ clock: time, limits });
  const log: string[] = [];
  const held = new Map<string, Slot & { kind: 'taken' }>();
  const ask = (
    name: string,
    urgency: 'single' | 'bulk' = 'single',
    patience = { deadline: 1_000, signal: whenever },
  ) => {
    return slots.take({ account: name.slice(0, 1), urgency }, patience).then((slot) => {
      log.push(slot.kind === 'taken' ? name : `${name} timed out`);
      if (slot.kind === 'taken') held.set(name, slot);
      return slot.kind;
    });
  };
  const release = async (name: string) => {
    held.get(name)?.release();
    await settle();
  };
  return { time, ask, release, log };
}

/** Lets everything that is ready run. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('slots', () => {
  it('give out as many as there are, then one for each that comes back', async () => {
    const { ask, release, log } = setUp({ total: 2, perAccount: 2, bulk: 2 });
    void ask('a1');
    void ask('b1');
    void ask('c1');
    await settle();
    assert.deepEqual(log, ['a1', 'b1']);
    await release('a1');
    await release('a1');
    assert.deepEqual(log, ['a1', 'b1', 'c1'], 'giving back twice gives one back');
    void ask('d1');
    await settle();
    assert.equal(log.length, 3);
  });

  it('give no account more than its share, however long it waits', async () => {
    const { ask, release, log } = setUp({ total: 4, perAccount: 2, bulk: 4 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void ask(name);
    await settle();
    assert.deepEqual(log, ['a1', 'a2', 'b1']);
    await release('b1');
    assert.deepEqual(log, ['a1', 'a2', 'b1']);
    await release('a1');
    assert.deepEqual(log, ['a1', 'a2', 'b1', 'a3']);
  });

  it('go to the waiting accounts in turn', async () => {
    const { ask, release, log } = setUp({ total: 1, perAccount: 1, bulk: 1 });
    for (const name of ['x1', 'a1', 'a2', 'a3', 'b1', 'c1']) void ask(name);
    await settle();
    for (const name of ['x1', 'a1', 'b1', 'c1', 'a2']) await release(name);
    assert.deepEqual(log, ['x1', 'a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('go to singles before bulk', async () => {
    const { ask, release, log } = setUp({ total: 1, perAccount: 1, bulk: 1 });
    void ask('x1');
    void ask('a-bulk', 'bulk');
    void ask('b-single', 'single');
    await settle();
    await release('x1');
    assert.deepEqual(log, ['x1', 'b-single']);
    await release('b-single');
    assert.deepEqual(log, ['x1', 'b-single', 'a-bulk']);
  });

  it('bulk leaves some that only singles take', async () => {
    const { ask, log } = setUp({ total: 2, perAccount: 2, bulk: 1 });
    void ask('a1', 'bulk');
    void ask('b1', 'bulk');
    void ask('c1', 'single');
    await settle();
    assert.deepEqual(log, ['a1', 'c1']);
  });

  it('waiting ends at the deadline, and the place in the queue with it', async () => {
    const { time, ask, release, log } = setUp({ total: 1, perAccount: 1, bulk: 1 });
    void ask('a1');
    const late = ask('b1', 'single', { deadline: 100, signal: whenever });
    void ask('c1');
    time.advance(100);
    assert.equal(await late, 'timeout');
    await release('a1');
    assert.deepEqual(log, ['a1', 'b1 timed out', 'c1']);
  });

  it('an aborted wait throws and frees its place; one aborted before does not begin', async () => {
    const { ask, release, log } = setUp({ total: 1, perAccount: 1, bulk: 1 });
    const controller = new AbortController();
    void ask('a1');
    const gone = ask('b1', 'single', { deadline: 1_000, signal: controller.signal });
    void ask('c1');
    controller.abort();
    await assert.rejects(gone, { name: 'AbortError' });
    await assert.rejects(ask('d1', 'single', { deadline: 1_000, signal: controller.signal }), {
      name: 'AbortError',
    });
    await release('a1');
    assert.deepEqual(log, ['a1', 'c1']);
  });

  it('leave no timer behind', async () => {
    const { time, ask, release } = setUp({ total: 1, perAccount: 1, bulk: 1 });
    void ask('a1');
    void ask('b1');
    await settle();
    await release('a1');
    assert.equal(time.timers(), 0);
  });

  it('shares are a fifth of the whole, and never nothing', () => {
    assert.deepEqual(slotLimits(500), { total: 500, perAccount: 100, bulk: 450 });
    assert.deepEqual(slotLimits(1), { total: 1, perAccount: 1, bulk: 1 });
  });
});
