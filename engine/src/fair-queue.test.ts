import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTick, setImmediate as turn } from 'node:timers/promises';
import { createTestClock } from '../test/support/test-clock.ts';
import {
  createFairQueue,
  createFairSlots,
  createLookupQueue,
  type Asker,
  type ServingRule,
} from './fair-queue.ts';

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

  test('accounts are served in turn, so that none waits for all of another', () => {
    const { takeAll } = queueOf(
      waiting('a1', 'bulk', 'a'),
      waiting('a2', 'bulk', 'a'),
      waiting('a3', 'bulk', 'a'),
      waiting('b1', 'bulk', 'b'),
    );
    assert.deepEqual(takeAll(), ['a1', 'b1', 'a2', 'a3']);
  });

  test('an item that has left is neither counted nor taken, and leaving twice changes nothing', () => {
    const gone = waiting('gone', 'bulk');
    const { queue, takeAll } = queueOf(gone, waiting('here', 'bulk'));
    queue.remove(gone);
    queue.remove(gone);
    assert.equal(queue.size(), 1);
    assert.deepEqual(takeAll(), ['here']);
    assert.equal(queue.size(), 0);
  });

  test('an account that has had its share is passed over, and keeps its place', () => {
    const { takeAll } = queueOf(
      waiting('a1', 'bulk', 'a'),
      waiting('b1', 'bulk', 'b'),
      waiting('c1', 'bulk', 'c'),
    );
    assert.deepEqual(takeAll({ hasRoom: () => true, hasShare: (account) => account === 'b' }), ['b1']);
    assert.deepEqual(takeAll(), ['a1', 'c1']);
  });

  test('if there is room for singles only, lists wait', () => {
    const { takeAll } = queueOf(waiting('list', 'bulk'), waiting('single', 'single'));
    assert.deepEqual(takeAll({ hasRoom: (urgency) => urgency === 'single', hasShare: () => true }), [
      'single',
    ]);
    assert.deepEqual(takeAll(), ['list']);
  });
});

const { signal } = new AbortController();
const bulk: Asker = { urgency: 'bulk', account: 'a' };

/** A number of slots for all accounts. */
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

  test('a waiter is served as soon as a slot comes back', async () => {
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

const { signal: unbroken } = new AbortController();

type Comer = { account: string; urgency: 'bulk' | 'single'; deadline: number; stop: AbortSignal };

/** A queue of `places` places whose work ends when the test says so. */
function setUp(places: number) {
  const clock = createTestClock();
  const lookupQueue = createLookupQueue({ clock, places });
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const come = (
    name: string,
    { account = 'a', urgency = 'bulk', deadline = 60_000, stop = unbroken }: Partial<Comer> = {},
  ): Promise<string> => {
    const end = Promise.withResolvers<string>();
    ends.set(name, end);
    const work = (): Promise<string> => {
      begun.push(name);
      return end.promise;
    };
    return lookupQueue.run({ deadline, signal: stop, asker: { urgency, account } }, work, 'late');
  };
  const finish = async (name: string): Promise<void> => {
    ends.get(name)?.resolve('done');
    await turn();
  };
  return { clock, begun, come, finish, fail: (name: string) => ends.get(name)?.reject(new Error(name)) };
}

test('no more of lists are under way than there are places, and each that ends lets one in', async () => {
  const { begun, come, finish } = setUp(2);
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => come(name));
  await turn();
  assert.deepEqual(begun, ['a1', 'a2']);
  await finish('a2');
  assert.deepEqual(begun, ['a1', 'a2', 'a3']);
  for (const name of ['a1', 'a3', 'a4']) await finish(name);
  assert.deepEqual(await Promise.all(all), ['done', 'done', 'done', 'done']);
});

test('a single verification does not wait', async () => {
  const { begun, come, finish } = setUp(1);
  void come('list1');
  void come('list2');
  const single = come('single', { urgency: 'single' });
  await turn();
  assert.deepEqual(begun.toSorted(), ['list1', 'single']);
  await finish('single');
  assert.equal(await single, 'done');
  assert.equal(begun.includes('list2'), false);
});

test('accounts take turns, so that none waits for all of another', async () => {
  const { begun, come, finish } = setUp(1);
  for (const name of ['a1', 'a2', 'a3']) void come(name, { account: 'a' });
  for (const name of ['b1', 'b2']) void come(name, { account: 'b' });
  await turn();
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await finish(name);
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('a caller that waits past the deadline is told, and takes no place', async () => {
  const { begun, come, finish, clock } = setUp(1);
  void come('first');
  const hasty = come('hasty', { deadline: 100 });
  void come('patient');
  await turn();
  while (clock.now() < 100) clock.step();
  assert.equal(await hasty, 'late');
  await finish('first');
  assert.deepEqual(begun, ['first', 'patient']);
});

test('an abort is rejected with its reason, and the one behind it is let in', async () => {
  const { begun, come, finish } = setUp(1);
  const stop = new AbortController();
  void come('first');
  const gone = come('gone', { stop: stop.signal });
  void come('behind');
  await turn();
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(gone, reason);
  await finish('first');
  assert.deepEqual(begun, ['first', 'behind']);
});

test('a crowd is let in by portions, so that no turn of the event loop is long for it', async () => {
  const { begun, come, clock } = setUp(1_000);
  for (let index = 0; index < 120; index += 1) void come(`a${index}`);
  await turn();
  const portions = [begun.length];
  while (begun.length < 120) {
    clock.step();
    await turn();
    portions.push(begun.length);
  }
  assert.deepEqual(portions, [50, 100, 120]);
});

test('work that fails gives its place back', async () => {
  const { begun, come, fail } = setUp(1);
  const failing = come('failing');
  void come('next');
  await turn();
  fail('failing');
  await assert.rejects(failing, /failing/);
  await turn();
  assert.deepEqual(begun, ['failing', 'next']);
});
