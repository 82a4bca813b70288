import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createClient } from '@mailproof/client';
import { startStandIn, type StandIn } from '@mailproof/client/stand-in';
import { createListController, type ListState, type ListController } from './create-list-controller.ts';
import type { SavedList, ListStore, SavedRun } from './list-store.ts';

const standIns: StandIn[] = [];
afterEach(async () => {
  for (const standIn of standIns.splice(0)) await standIn.stop();
});

/** What a browser would keep, as plain maps. */
function storeInMemory(): ListStore {
  const lists = new Map<string, SavedList>();
  const batches = new Map<string, SavedRun['batches']>();
  return {
    saveList: (list) => Promise.resolve(void lists.set(list.accountId, list)),
    saveBatch: (batch) =>
      Promise.resolve(void batches.set(batch.accountId, [...(batches.get(batch.accountId) ?? []), batch])),
    load(accountId) {
      const list = lists.get(accountId);
      return Promise.resolve(list && { list, batches: batches.get(accountId) ?? [] });
    },
    remove(accountId) {
      lists.delete(accountId);
      batches.delete(accountId);
      return Promise.resolve();
    },
  };
}

type Setting = { store?: ListStore; account?: string; now?: number };

function createFixture(
  standIn: StandIn,
  { store = storeInMemory(), account = 'ada', now = 0 }: Setting = {},
) {
  const ends: ListState[] = [];
  const waiting: ((state: ListState) => void)[] = [];
  const client = createClient({
    baseUrl: standIn.url,
    apiKey: standIn.apiKey,
    limits: { pollFirstMs: 1, attempts: 1 },
  });
  const lists = createListController({
    client,
    store,
    accountId: () => account,
    pause: () => Promise.resolve(),
    untilConnected: () => Promise.resolve(),
    now: () => now,
    randomKey: () => 'a key',
    onEnd(state) {
      const next = waiting.shift();
      if (next === undefined) ends.push(state);
      else next(state);
    },
  });
  const nextEnd = () =>
    new Promise<ListState>((resolve) => {
      const end = ends.shift();
      if (end === undefined) waiting.push(resolve);
      else resolve(end);
    });
  return { lists, nextEnd };
}

async function start(options: Parameters<typeof startStandIn>[0] = {}): Promise<StandIn> {
  const standIn = await startStandIn(options);
  standIns.push(standIn);
  return standIn;
}

function openPeople(lists: ListController, count: number): Promise<void> {
  const text = Array.from({ length: count }, (_, i) => `ada.${i}@example.com\n`).join('');
  return lists.open({ name: 'people.txt', bytes: new TextEncoder().encode(text) });
}

describe('the list on the page', () => {
  test('sends nothing to the service before it is started', async () => {
    const standIn = await start();
    const { lists, nextEnd } = createFixture(standIn);
    await openPeople(lists, 120);
    assert.equal(lists.state.value.kind, 'ready');
    assert.equal(standIn.counts.requests, 0);
    lists.start();
    assert.equal((await nextEnd()).kind, 'done');
    assert.equal(standIn.counts.spent, 120);
  });

  test('restores a finished list after a reload, and sends nothing', async () => {
    const standIn = await start();
    const store = storeInMemory();
    const first = createFixture(standIn, { store });
    await openPeople(first.lists, 150);
    first.lists.start();
    await first.nextEnd();
    const requests = standIn.counts.requests;

    const second = createFixture(standIn, { store });
    await second.lists.restore('ada');
    const state = second.lists.state.value;
    assert.equal(state.kind, 'done');
    assert.ok(state.list.answers.every((answer) => answer?.status === 'safe'));
    assert.equal(standIn.counts.requests, requests);
  });

  test('resumes by itself after a reload in the middle, and pays for nothing twice', async () => {
    const standIn = await start({ credits: 100 });
    const store = storeInMemory();
    const first = createFixture(standIn, { store });
    await openPeople(first.lists, 250);
    first.lists.start();
    assert.equal((await first.nextEnd()).kind, 'paused');

    standIn.grant(150);
    const second = createFixture(standIn, { store });
    await second.lists.restore('ada');
    assert.equal((await second.nextEnd()).kind, 'done');
    assert.equal(standIn.counts.spent, 250);
  });

  test('waits for a click when the list was started more than a day ago', async () => {
    const standIn = await start({ credits: 100 });
    const store = storeInMemory();
    const first = createFixture(standIn, { store });
    await openPeople(first.lists, 250);
    first.lists.start();
    await first.nextEnd();

    const second = createFixture(standIn, { store, now: 100_000_000 });
    await second.lists.restore('ada');
    const state = second.lists.state.value;
    assert.equal(state.kind === 'paused' && state.isOld, true);
  });

  test('is never shown to another account', async () => {
    const standIn = await start();
    const store = storeInMemory();
    const { lists, nextEnd } = createFixture(standIn, { store });
    await openPeople(lists, 10);
    lists.start();
    await nextEnd();
    await lists.restore('bob');
    assert.equal(lists.state.value.kind, 'empty');
    await lists.restore('ada');
    assert.equal(lists.state.value.kind, 'done');
  });

  test('is gone from the browser once it is removed', async () => {
    const standIn = await start();
    const store = storeInMemory();
    const { lists, nextEnd } = createFixture(standIn, { store });
    await openPeople(lists, 10);
    lists.start();
    await nextEnd();
    await lists.clear();
    assert.equal(await store.load('ada'), undefined);
    assert.equal(lists.state.value.kind, 'empty');
  });
});
