import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createTestClock } from '../test/support/test-clock.ts';
import { createFairQueue, createFairSlots, type Asker, type ServingRule } from './fair-queue.ts';

type Waiting = { name: string; asker: Asker };

const waiting = (name: string, urgency: Asker['urgency'], account = 'a'): Waiting => ({
  name,
  asker: { urgency, account },
});

function queueOf(...items: Waiting[]) {
  const queue = createFairQueue<Waiting>();
  for (const item of items) queue.add(item);
  const takeAll = (rule?: ServingRule): string[] => {
    const names: string[] = [];
    for (let next = queue.take(rule); next !== undefined; next = queue.take(rule)) names.push(next.name);
    return names;
  };
  return { queue, takeAll };
}

describe('a fair queue', () => {
  test('single verifications go before those of a list', () => {
    const { takeAll } = queueOf(
      waiting('list1', 'bulk'),
      waiting('single', 'single'),
      waiting('list2', 'bulk'),
    );
    assert.deepEqual(takeAll(), ['single', 'list1', 'list2']);
  });

  test('accounts are served in turn, so that nobody stands behind all of another', () => {
    const { takeAll } = queueOf(
      waiting('a1', 'bulk', 'a'),
      waiting('a2', 'bulk', 'a'),
      waiting('a3', 'bulk', 'a'),
      waiting('b1', 'bulk', 'b'),
    );
    assert.deepEqual(takeAll(), ['a1', 'b1', 'a2', 'a3']);
  });

  test('who has left is neither counted nor taken, and leaving twice changes nothing', () => {
    const gone = waiting('gone', 'bulk');
    const { queue, takeAll } = queueOf(gone, waiting('here', 'bulk'));
    queue.remove(gone);
    queue.remove(gone);
    assert.equal(queue.size(), 1);
    assert.deepEqual(takeAll(), ['here']);
    assert.equal(queue.size(), 0);
  });

  test('who has had its share is passed over, and keeps its place', () => {
    const { takeAll } = queueOf(
      waiting('a1', 'bulk', 'a'),
      waiting('b1', 'bulk', 'b'),
      waiting('c1', 'bulk', 'c'),
    );
    assert.deepEqual(takeAll({ hasRoom: () => true, hasShare: (account) => account === 'b' }), ['b1']);
    assert.deepEqual(takeAll(), ['a1', 'c1']);
  });

  test('where there is room for singles only, lists wait', () => {
    const { takeAll } = queueOf(waiting('list', 'bulk'), waiting('single', 'single'));
    assert.deepEqual(takeAll({ hasRoom: (urgency) => urgency === 'single', hasShare: () => true }), [
      'single',
    ]);
    assert.deepEqual(takeAll(), ['list']);
  });
});

const { signal } = new AbortController();
const bulk: Asker = { urgency: 'bulk', account: 'a' };

/** So many slots for everybody. */
function slotsOf(total: number) {
  const clock = createTestClock();
  let inUse = 0;
  const slots = createFairSlots({
    clock,
    rule: { hasRoom: () => inUse < total, hasShare: () => true },
    onTaken: () => void (inUse += 1),
    onReleased: () => void (inUse -= 1),
  });
  const take = async (asker: Asker, patience = { deadline: 1_000, signal }) => {
    const slot = await slots.take(asker, patience);
    assert.ok(slot.kind === 'taken');
    return slot;
  };
  return { clock, slots, take, inUse: () => inUse };
}

describe('slots handed out by a fair queue', () => {
  test('a slot that is released twice is given back once', async () => {
    const { take, inUse } = slotsOf(2);
    const [first] = [await take(bulk), await take(bulk)];
    first.release();
    first.release();
    assert.equal(inUse(), 1);
  });

  test('whoever waits is served in the moment in which a slot comes back', async () => {
    const { take, inUse, clock } = slotsOf(1);
    const first = await take(bulk);
    const second = take(bulk);
    first.release();
    assert.equal(inUse(), 1);
    (await second).release();
    assert.deepEqual([inUse(), clock.next()], [0, undefined], 'and leaves no timer behind');
  });

  test('waiting ends at the deadline, and takes no slot', async () => {
    const { slots, take, clock, inUse } = slotsOf(1);
    const first = await take(bulk);
    const late = slots.take(bulk, { deadline: 100, signal });
    clock.step();
    assert.deepEqual(await late, { kind: 'timeout' });
    first.release();
    assert.equal(inUse(), 0);
  });

  test('an abort rejects with its reason, before and while waiting, and leaves nothing behind', async () => {
    const { slots, take, clock, inUse } = slotsOf(1);
    const stop = new AbortController();
    const reason = new Error('enough');
    const first = await take(bulk);
    const gone = slots.take(bulk, { deadline: 1_000, signal: stop.signal });
    stop.abort(reason);
    await assert.rejects(gone, reason);
    await assert.rejects(slots.take(bulk, { deadline: 1_000, signal: stop.signal }), reason);
    first.release();
    assert.deepEqual([inUse(), clock.next()], [0, undefined]);
  });

  test('room that comes from elsewhere is handed out when it is said', async () => {
    const clock = createTestClock();
    let isOpen = false;
    const slots = createFairSlots({
      clock,
      rule: { hasRoom: () => isOpen, hasShare: () => true },
      onTaken: () => undefined,
      onReleased: () => undefined,
    });
    const served: string[] = [];
    void slots.take(bulk, { deadline: 1_000, signal }).then(({ kind }) => served.push(kind));
    await nextTick();
    assert.deepEqual(served, []);
    isOpen = true;
    slots.serve();
    await nextTick();
    assert.deepEqual(served, ['taken']);
  });
});
