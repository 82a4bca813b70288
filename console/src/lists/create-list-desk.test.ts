import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createClient } from '@mailproof/client';
import { startStandIn, type StandIn } from '@mailproof/client/stand-in';
import { createListDesk, type DeskState, type ListDesk } from './create-list-desk.ts';
import type { KeptList, ListKeeper, Recalled } from './list-keeper.ts';

const standIns: StandIn[] = [];
afterEach(async () => {
  for (const standIn of standIns.splice(0)) await standIn.stop();
});

/** What a browser would keep, as plain maps. */
function keeperInMemory(): ListKeeper {
  const lists = new Map<string, KeptList>();
  const batches = new Map<string, Recalled['batches']>();
  return {
    keepList: (list) => Promise.resolve(void lists.set(list.accountId, list)),
    keepBatch: (batch) =>
      Promise.resolve(void batches.set(batch.accountId, [...(batches.get(batch.accountId) ?? []), batch])),
    recall(accountId) {
      const list = lists.get(accountId);
      return Promise.resolve(list && { list, batches: batches.get(accountId) ?? [] });
    },
    forget(accountId) {
      lists.delete(accountId);
      batches.delete(accountId);
      return Promise.resolve();
    },
  };
}

type Setting = { keeper?: ListKeeper; account?: string; now?: number };

function open(standIn: StandIn, { keeper = keeperInMemory(), account = 'ada', now = 0 }: Setting = {}) {
  const ends: DeskState[] = [];
  const waiting: ((state: DeskState) => void)[] = [];
  const client = createClient({
    baseUrl: standIn.url,
    apiKey: standIn.apiKey,
    limits: { pollFirstMs: 1, attempts: 1 },
  });
  const desk = createListDesk({
    client,
    keeper,
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
    new Promise<DeskState>((resolve) => {
      const end = ends.shift();
      if (end === undefined) waiting.push(resolve);
      else resolve(end);
    });
  return { desk, nextEnd };
}

async function start(options: Parameters<typeof startStandIn>[0] = {}): Promise<StandIn> {
  const standIn = await startStandIn(options);
  standIns.push(standIn);
  return standIn;
}

function bring(desk: ListDesk, count: number): Promise<void> {
  const text = Array.from({ length: count }, (_, i) => `ada.${i}@example.com\n`).join('');
  return desk.bring({ name: 'people.txt', bytes: new TextEncoder().encode(text) });
}

describe('the desk', () => {
  test('asks nothing of the service before it is told to start', async () => {
    const standIn = await start();
    const { desk, nextEnd } = open(standIn);
    await bring(desk, 120);
    assert.equal(desk.state.value.kind, 'ready');
    assert.equal(standIn.counts.requests, 0);
    desk.start();
    assert.equal((await nextEnd()).kind, 'done');
    assert.equal(standIn.counts.spent, 120);
  });

  test('recalls a finished list after a reload, and asks nothing', async () => {
    const standIn = await start();
    const keeper = keeperInMemory();
    const first = open(standIn, { keeper });
    await bring(first.desk, 150);
    first.desk.start();
    await first.nextEnd();
    const requests = standIn.counts.requests;

    const second = open(standIn, { keeper });
    await second.desk.recall('ada');
    const state = second.desk.state.value;
    assert.equal(state.kind, 'done');
    assert.ok(state.list.answers.every((answer) => answer?.status === 'safe'));
    assert.equal(standIn.counts.requests, requests);
  });

  test('goes on by itself after a reload in the middle, and pays for nothing twice', async () => {
    const standIn = await start({ credits: 100 });
    const keeper = keeperInMemory();
    const first = open(standIn, { keeper });
    await bring(first.desk, 250);
    first.desk.start();
    assert.equal((await first.nextEnd()).kind, 'paused');

    standIn.grant(150);
    const second = open(standIn, { keeper });
    await second.desk.recall('ada');
    assert.equal((await second.nextEnd()).kind, 'done');
    assert.equal(standIn.counts.spent, 250);
  });

  test('waits to be told where the list was begun more than a day ago', async () => {
    const standIn = await start({ credits: 100 });
    const keeper = keeperInMemory();
    const first = open(standIn, { keeper });
    await bring(first.desk, 250);
    first.desk.start();
    await first.nextEnd();

    const second = open(standIn, { keeper, now: 100_000_000 });
    await second.desk.recall('ada');
    const state = second.desk.state.value;
    assert.equal(state.kind === 'paused' && state.isOld, true);
  });

  test('shows nobody the list of somebody else', async () => {
    const standIn = await start();
    const keeper = keeperInMemory();
    const { desk, nextEnd } = open(standIn, { keeper });
    await bring(desk, 10);
    desk.start();
    await nextEnd();
    await desk.recall('bob');
    assert.equal(desk.state.value.kind, 'empty');
    await desk.recall('ada');
    assert.equal(desk.state.value.kind, 'done');
  });

  test('forgets a list that is taken off it', async () => {
    const standIn = await start();
    const keeper = keeperInMemory();
    const { desk, nextEnd } = open(standIn, { keeper });
    await bring(desk, 10);
    desk.start();
    await nextEnd();
    await desk.clear();
    assert.equal(await keeper.recall('ada'), undefined);
    assert.equal(desk.state.value.kind, 'empty');
  });
});
