import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createClient } from '@mailproof/client';
import { startStandIn, type StandIn } from '@mailproof/client/stand-in';
import type { ListAnswer } from './list-answer.ts';
import { enterBatch, runList, type ListRun, type RunParts } from './run-list.ts';

const standIns: StandIn[] = [];
afterEach(async () => {
  for (const standIn of standIns.splice(0)) await standIn.stop();
});

async function start(options: Parameters<typeof startStandIn>[0] = {}) {
  const standIn = await startStandIn(options);
  standIns.push(standIn);
  const limits = { attempts: 1, pollFirstMs: 1 };
  const client = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey, limits });
  return { standIn, client };
}

function listOf(count: number): ListRun {
  const addresses = Array.from(
    { length: count },
    (_, i) => `${i % 3 === 0 ? 'invalid' : 'ada'}.${i}@example.com`,
  );
  return { addresses, answers: addresses.map(() => undefined), resumeKey: 'a run', name: 'people.csv' };
}

function partsOf(client: RunParts['client'], kept = new Map<number, ListAnswer[]>()): RunParts {
  return {
    client,
    saveBatch: (batch, answers) => Promise.resolve(void kept.set(batch, answers)),
    onProgress: () => undefined,
    untilConnected: () => Promise.resolve(),
  };
}

const statusesOf = ({ answers }: ListRun) => answers.map((answer) => answer?.status);
const expected = (count: number) =>
  Array.from({ length: count }, (_, i) => (i % 3 === 0 ? 'invalid' : 'safe'));
const never = new AbortController().signal;

describe('a run over a list', () => {
  test('fills every answer in, and tells of each batch as it is whole', async () => {
    const { client } = await start();
    const kept = new Map<number, ListAnswer[]>();
    const run = listOf(250);
    assert.deepEqual(await runList(run, partsOf(client, kept), never), { kind: 'done' });
    assert.deepEqual(statusesOf(run), expected(250));
    assert.deepEqual([...kept].map(([batch, answers]) => [batch, answers.length]).sort(), [
      [0, 100],
      [1, 100],
      [2, 50],
    ]);
  });

  test('goes on by itself after lost connections, and pays for nothing twice', async () => {
    // With one attempt for each request, every fault ends a round; the line is good again after a while.
    const faults = ['lose_answer', 'none', 'lose_request', 'refuse', 'none'] as const;
    const { client, standIn } = await start({
      faultOf: ({ number }) => (number < 40 ? (faults[number % faults.length] ?? 'none') : 'none'),
    });
    const run = listOf(430);
    assert.deepEqual(await runList(run, partsOf(client), never), { kind: 'done' });
    assert.deepEqual(statusesOf(run), expected(430));
    assert.equal(standIn.counts.spent, 430);
    assert.ok(standIn.counts.replays > 0);
  });

  test('begun anew with what was kept, finds its tasks and pays for nothing twice', async () => {
    const { client, standIn } = await start();
    const kept = new Map<number, ListAnswer[]>();
    const stop = new AbortController();
    const parts = partsOf(client, kept);
    const saveBatch: RunParts['saveBatch'] = async (batch, answers) => {
      await parts.saveBatch(batch, answers);
      stop.abort(new Error('the page was reloaded'));
    };
    assert.deepEqual(await runList(listOf(600), { ...parts, saveBatch }, stop.signal), { kind: 'stopped' });
    assert.ok(kept.size < 6);

    const run = listOf(600);
    for (const [batch, answers] of kept) enterBatch(run.answers, batch, answers);
    assert.deepEqual(await runList(run, partsOf(client, kept), never), { kind: 'done' });
    assert.deepEqual(statusesOf(run), expected(600));
    assert.equal(standIn.counts.spent, 600);
  });

  test('ends where the service refuses, keeps what it has, and goes on when that is put right', async () => {
    const { client, standIn } = await start({ credits: 150 });
    const run = listOf(300);
    const end = await runList(run, partsOf(client), never);
    assert.equal(end.kind === 'failed' && end.failure.reason, 'insufficient_credits');
    standIn.grant(150);
    assert.deepEqual(await runList(run, partsOf(client), never), { kind: 'done' });
    assert.equal(standIn.counts.spent, 300);
  });

  test('is stopped while it waits for the connection', async () => {
    const { client } = await start({ faultOf: () => 'lose_request' });
    const stop = new AbortController();
    const parts: RunParts = {
      ...partsOf(client),
      untilConnected: () => Promise.reject(new Error('stopped while waiting')),
    };
    assert.deepEqual(await runList(listOf(10), parts, stop.signal), { kind: 'stopped' });
  });
});
