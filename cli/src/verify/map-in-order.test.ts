import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { mapInOrder } from './map-in-order.ts';

test('results come in the order of the items, whichever is done first', async () => {
  const jobs = controlled();
  const results = collect(mapInOrder(from(['a', 'b', 'c']), jobs.work, bounds(3, 3)));
  await jobs.begun(3);
  for (const item of ['c', 'b', 'a']) jobs.finish(item);
  assert.deepEqual(await results, ['a!', 'b!', 'c!']);
});

test('no more than the bound run side by side', async () => {
  const jobs = controlled();
  const items = Array.from({ length: 50 }, (_, index) => String(index));
  const results = collect(mapInOrder(from(items), jobs.work, bounds(4, 20)));
  for (const [index, item] of items.entries()) {
    await jobs.begun(Math.min(index + 4, items.length));
    // Time enough for one more to begin, if it could.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    assert.ok(jobs.running() <= 4);
    jobs.finish(item);
  }
  assert.equal((await results).length, 50);
  assert.equal(jobs.most(), 4);
});

test('a slow item lets the window fill and then the source is read no further', async () => {
  const jobs = controlled();
  const numbers = endless();
  const results = mapInOrder(numbers.source(), jobs.work, bounds(2, 5));
  const first = results.next();
  await jobs.begunItem('2');
  for (let item = 2; item <= 5; item += 1) {
    await jobs.begunItem(String(item));
    jobs.finish(String(item));
  }
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  assert.equal(numbers.read(), 5);
  jobs.finish('1');
  assert.equal((await first).value, '1!');
  assert.equal((await results.next()).value, '2!');
});

test('a result is handed on while the source still thinks about its next item', async () => {
  const jobs = controlled();
  const never = new Promise<never>(() => undefined);
  async function* source() {
    yield 'a';
    await never;
  }
  const results = mapInOrder(source(), jobs.work, bounds(2, 10));
  const first = results.next();
  await jobs.begunItem('a');
  jobs.finish('a');
  assert.equal((await first).value, 'a!');
});

test('a failure of the work or of the source comes out in its place', async () => {
  const failing = mapInOrder(
    from(['a', 'b']),
    (item) => (item === 'b' ? Promise.reject(new Error('b failed')) : Promise.resolve(item)),
    bounds(2, 4),
  );
  assert.equal((await failing.next()).value, 'a');
  await assert.rejects(failing.next(), /b failed/);
  async function* broken() {
    yield 'a';
    await setImmediate();
    throw new Error('source failed');
  }
  await assert.rejects(
    collect(mapInOrder(broken(), (item) => Promise.resolve(item), bounds(2, 4))),
    /source failed/,
  );
});

test('results that are there come before the failure of the source', async () => {
  const jobs = controlled();
  const failed = Promise.withResolvers<string>();
  async function* source() {
    yield 'a';
    yield 'b';
    yield await failed.promise;
  }
  const results = mapInOrder(source(), jobs.work, bounds(3, 3));
  const first = results.next();
  await jobs.begun(2);
  for (const item of ['b', 'a']) jobs.finish(item);
  assert.equal((await first).value, 'a!');
  failed.reject(new Error('source failed'));
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  assert.equal((await results.next()).value, 'b!');
  await assert.rejects(results.next(), /source failed/);
});

test('once nobody takes results any more, the source is read no further', async () => {
  const numbers = endless();
  const results = mapInOrder(numbers.source(), (item) => Promise.resolve(item), bounds(2, 1_000));
  assert.equal((await results.next()).value, '1');
  await results.return(undefined);
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  const readByThen = numbers.read();
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  assert.equal(numbers.read(), readByThen);
});

test('many items of one group in a row leave room for those of others behind them', async () => {
  const jobs = controlled();
  const items = [...Array.from({ length: 20 }, (_, i) => `a${i}`), 'b0', 'c0'];
  const shared = { outstanding: 6, perGroup: 4, groupOf: (item: string) => item.charAt(0), readAhead: 30 };
  const results = collect(mapInOrder(from(items), jobs.work, shared));
  await jobs.begun(6);
  assert.deepEqual(jobs.seen(), ['a0', 'a1', 'a2', 'a3', 'b0', 'c0']);
  jobs.finish('b0');
  jobs.finish('a3');
  await jobs.begunItem('a4');
  assert.equal(jobs.running(), 5);
  for (const item of items) {
    await jobs.begunItem(item);
    jobs.finish(item);
  }
  assert.deepEqual(
    await results,
    items.map((item) => `${item}!`),
  );
});

test('sorted by group takes no more rounds than shuffled, where a group serves ten at a time', async () => {
  const sorted = Array.from({ length: 2_000 }, (_, i) => `d${Math.floor(i / 40)}-${i}`);
  const shuffled = sorted.toSorted((a, b) => Number(a.slice(-2)) - Number(b.slice(-2)));
  const [inOrder, mixed] = [await countRounds(sorted), await countRounds(shuffled)];
  assert.ok(inOrder <= mixed, `${inOrder} rounds, not ${mixed}`);
  // All that fit are begun at once: two thousand in two portions of a thousand, forty of a domain in four rounds.
  assert.ok(inOrder <= 8, `${inOrder} rounds`);
});

/** In each round every group answers the first ten that wait for it. */
async function countRounds(items: string[]): Promise<number> {
  const waiting = new Map<string, (() => void)[]>();
  const groupOf = (item: string) => item.split('-')[0] ?? '';
  const work = (item: string) =>
    new Promise<void>((resolve) => {
      waiting.set(groupOf(item), [...(waiting.get(groupOf(item)) ?? []), resolve]);
    });
  const ending = { isDone: false };
  const shared = { outstanding: 1_000, perGroup: 100, groupOf, readAhead: 4_000 };
  const done = collect(mapInOrder(from(items), work, shared)).finally(() => (ending.isDone = true));
  let rounds = 0;
  for (let idle = 0; !ending.isDone; idle += 1) {
    await setImmediate();
    // A round begins once nothing more is begun: everything that can wait does.
    if (idle < items.length * 2 || waiting.size === 0) continue;
    idle = 0;
    rounds += 1;
    for (const [group, resolvers] of waiting) {
      for (const resolve of resolvers.splice(0, 10)) resolve();
      if (resolvers.length === 0) waiting.delete(group);
    }
  }
  await done;
  return rounds;
}

function bounds(outstanding: number, readAhead: number) {
  return { outstanding, perGroup: outstanding, groupOf: () => '', readAhead };
}

/** Work that ends when the test says so. */
function controlled() {
  const running = new Map<string, (result: string) => void>();
  const seen = new Set<string>();
  let most = 0;
  async function until(condition: () => boolean): Promise<void> {
    const patienceEnds = performance.now() + 10_000;
    while (!condition()) {
      assert.ok(performance.now() < patienceEnds, 'what was waited for did not begin');
      await setImmediate();
    }
  }
  return {
    work: (item: string) =>
      new Promise<string>((resolve) => {
        running.set(item, resolve);
        seen.add(item);
        most = Math.max(most, running.size);
      }),
    finish(item: string): void {
      running.get(item)?.(`${item}!`);
      running.delete(item);
    },
    running: () => running.size,
    seen: () => [...seen].sort(),
    most: () => most,
    begun: (count: number) => until(() => seen.size >= count),
    begunItem: (item: string) => until(() => seen.has(item)),
  };
}

async function* from<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) {
    await setImmediate();
    yield item;
  }
}

async function collect<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of source) all.push(item);
  return all;
}

/** The numbers from 1 on, and how many of them were read. */
function endless() {
  let read = 0;
  return {
    read: () => read,
    async *source(): AsyncGenerator<string> {
      for (;;) {
        await setImmediate();
        read += 1;
        yield String(read);
      }
    },
  };
}
