import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createClient } from './create-client.ts';
import type { ManyAnswer, VerifyManyOptions } from './verify-many.ts';
import { MailproofError } from './mailproof-error.ts';
import { startStandIn, type StandIn } from '../test/support/start-stand-in.ts';

const standIns: StandIn[] = [];
afterEach(async () => {
  for (const standIn of standIns.splice(0)) await standIn.stop();
});

const quick = { pollFirstMs: 1, retryFirstMs: 1 };

async function start(options: Parameters<typeof startStandIn>[0] = {}) {
  const standIn = await startStandIn(options);
  standIns.push(standIn);
  const client = createClient({ baseUrl: standIn.url, apiKey: standIn.apiKey, limits: quick });
  const collect = async (list: Iterable<string> | AsyncIterable<string>, many: VerifyManyOptions = {}) => {
    const answers: ManyAnswer[] = [];
    for await (const answer of client.verifyMany(list, many)) answers.push(answer);
    return answers.sort((a, b) => a.index - b.index);
  };
  return { standIn, client, collect };
}

function listOf(count: number): string[] {
  const kinds = ['ada', 'invalid', 'unknown', 'catchall'];
  return Array.from({ length: count }, (_, i) => `${kinds[i % 4] ?? ''}.${i}@example.com`);
}

test('every address gets one answer with its place, whatever becomes of it', async () => {
  const { collect, standIn } = await start();
  const list = [...listOf(250), ' ', 'no address', 'ADA.0@example.com', `${'x'.repeat(255)}@example.com`];
  const answers = await collect(list);
  assert.deepEqual(
    answers.map(({ index, email }) => [index, email]),
    list.map((email, index) => [index, email]),
  );
  assert.deepEqual(
    answers.slice(248).map((answer) => (answer.kind === 'verified' ? answer.result.status : answer.reason)),
    ['safe', 'invalid', 'blank', 'not_an_address', 'safe', 'too_long'],
  );
  assert.equal(standIn.counts.tasks, 3);
});

test('loses nothing and pays nothing twice on a network that refuses and loses every third request', async () => {
  const faults = ['refuse', 'lose_request', 'lose_answer'] as const;
  const { collect, standIn } = await start({
    faultOf: ({ number }) => (number % 3 === 0 ? (faults[(number / 3) % 3] ?? 'none') : 'none'),
  });
  const answers = await collect(listOf(2_000), { concurrency: 5 });
  assert.equal(answers.filter(({ kind }) => kind === 'verified').length, 2_000);
  assert.deepEqual([standIn.counts.tasks, standIn.counts.spent], [20, 1_500]);
});

test('started again with its resume key it pays for nothing twice; with another it asks anew', async () => {
  const { client, collect, standIn } = await start();
  const list = listOf(1_000);
  let seen = 0;
  for await (const answer of client.verifyMany(list, { resumeKey: 'may' })) {
    seen += answer.index >= 0 ? 1 : 0;
    if (seen === 350) break;
  }
  const answers = await collect(list, { resumeKey: 'may' });
  assert.equal(answers.length, 1_000);
  assert.deepEqual([standIn.counts.tasks, standIn.counts.spent], [10, 750]);
  await collect(list, { resumeKey: 'june' });
  await collect(list);
  await collect(list);
  assert.equal(standIn.counts.tasks, 40);
});

test('reads the list no further than its tasks need', async () => {
  const { client, standIn } = await start({ looksPerTask: 1_000_000 });
  let given = 0;
  async function* endless() {
    for (;;) {
      given += 1;
      yield `ada.${given}@example.com`;
      await Promise.resolve();
    }
  }
  const abort = new AbortController();
  const run = client.verifyMany(endless(), {
    concurrency: 3,
    signal: abort.signal,
    onProgress: () => {
      if (standIn.counts.requests > 50) abort.abort(new Error('enough'));
    },
  });
  await assert.rejects(run.next(), { message: 'enough' });
  assert.deepEqual([given, standIn.counts.tasks], [300, 3]);
});

test('addresses that are slow hold up none of the others: the places of those checked go to the next tasks', async () => {
  const list = listOf(2_000).map((email, i) => (i % 100 === 50 ? `slow.${email}` : email));
  let tasks = () => 0;
  // No slow address is answered before every task of the list has been created.
  const { collect, standIn } = await start({ areSlowDone: () => tasks() === 20 });
  tasks = () => standIn.counts.tasks;
  const signal = AbortSignal.timeout(60_000);
  assert.equal((await collect(list, { signal })).length, 2_000);
});

test('never has more addresses outstanding than there are places', async () => {
  const slow = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? `slow.${i}` : `ada.${i}`)).map(
    (name) => `${name}@example.com`,
  );
  let looks = 0;
  let open = 0;
  let tasks = () => 0;
  const { collect, standIn } = await start({
    areSlowDone: () => {
      looks += 1;
      if (looks <= 40) open = tasks();
      return looks > 40;
    },
  });
  tasks = () => standIn.counts.tasks;
  await collect(slow, { concurrency: 3, signal: AbortSignal.timeout(60_000) });
  // Of 300 places, tasks that are half checked take 50 each, and the next one needs 100: five of them fit.
  assert.deepEqual([open, standIn.counts.tasks], [5, 10]);
});

test('an abort is heard while the list itself gives nothing more', async () => {
  const { client } = await start();
  const abort = new AbortController();
  async function* stuck() {
    yield 'ada@example.com';
    setImmediate(() => abort.abort(new Error('enough')));
    await new Promise(() => undefined);
  }
  await assert.rejects(client.verifyMany(stuck(), { signal: abort.signal }).next(), { message: 'enough' });
});

test('progress only grows and ends at the whole list', async () => {
  const { collect } = await start({ looksPerTask: 4 });
  const steps: number[] = [];
  let last = { read: 0, answered: 0, creditsUsed: 0 };
  await collect(listOf(450), {
    onProgress: (progress) => {
      steps.push(progress.answered);
      last = progress;
    },
  });
  assert.deepEqual(last, { read: 450, answered: 450, creditsUsed: 338 });
  assert.ok(steps.length > 5);
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a - b),
  );
});

test('ends with the reason when the credits do, and what was paid for can be fetched later', async () => {
  const { collect, standIn } = await start({ credits: 250 });
  const list = listOf(1_000).map((email) => email.replace(/^[a-z]+/, 'ada'));
  await assert.rejects(collect(list, { resumeKey: 'k', concurrency: 1 }), (error) => {
    assert.ok(error instanceof MailproofError);
    return error.reason === 'insufficient_credits';
  });
  assert.equal(standIn.counts.spent, 200);
  standIn.grant(800);
  assert.equal((await collect(list, { resumeKey: 'k' })).length, 1_000);
  assert.equal(standIn.counts.spent, 1_000);
});

test('a list that fails while it is read fails the run', async () => {
  const { collect } = await start();
  function* broken() {
    yield 'ada@example.com';
    throw new Error('the disk is gone');
  }
  await assert.rejects(collect(broken()), { message: 'the disk is gone' });
});

test('the name of a run is the name of its tasks', async () => {
  const { standIn } = await start();
  const names: unknown[] = [];
  const client = createClient({
    baseUrl: standIn.url,
    apiKey: standIn.apiKey,
    limits: quick,
    fetch(url, init) {
      if (typeof init.body === 'string') names.push((JSON.parse(init.body) as { name?: string }).name);
      return fetch(url, init);
    },
  });
  const run = client.verifyMany(listOf(150), { name: 'people.csv' });
  while ((await run.next()).done !== true);
  assert.deepEqual(names, ['people.csv', 'people.csv']);
});
