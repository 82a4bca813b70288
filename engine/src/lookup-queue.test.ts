import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLookupQueue } from './lookup-queue.ts';
import { createTestClock } from '../test/support/test-clock.ts';

const { signal } = new AbortController();

type Comer = { account: string; urgency: 'bulk' | 'single'; deadline: number; stop: AbortSignal };

/** A queue of so many places whose work ends when the test says so. */
function setUp(places: number) {
  const clock = createTestClock();
  const lookupQueue = createLookupQueue({ clock, places });
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const come = (
    name: string,
    { account = 'a', urgency = 'bulk', deadline = 60_000, stop = signal }: Partial<Comer> = {},
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

test('a single verification waits for nobody', async () => {
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

test('accounts take turns, so that nobody stands behind all of another', async () => {
  const { begun, come, finish } = setUp(1);
  for (const name of ['a1', 'a2', 'a3']) void come(name, { account: 'a' });
  for (const name of ['b1', 'b2']) void come(name, { account: 'b' });
  await turn();
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await finish(name);
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('whoever waits past the deadline is told, and takes no place', async () => {
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
