import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overloadLimits, createOverloadGuard, type AdmitAnswer } from './overload-guard.ts';

const few = {
  ...overloadLimits,
  inFlight: { single: 2, bulk: 1, upload: 1, read: 1, account: 1 },
  waiting: { single: 2, bulk: 0, upload: 1, read: 0, account: 0 },
  waitMs: 60_000,
};

const window = (loopDelayMs: number, storeWaitMs = 0) => ({ loopDelayMs, storeWaitMs });

function release(answer: AdmitAnswer): void {
  assert.ok(answer.kind === 'admitted');
  answer.release();
}

test('a burst over the cap waits for a place and gets it in the order it came', async () => {
  const overloadGuard = createOverloadGuard(few);
  const first = await overloadGuard.admit('single');
  await overloadGuard.admit('single');
  const order: string[] = [];
  const third = Promise.resolve(overloadGuard.admit('single')).then((given) => (order.push('third'), given));
  const fourth = Promise.resolve(overloadGuard.admit('single')).then(
    (given) => (order.push('fourth'), given),
  );
  assert.deepEqual(
    await overloadGuard.admit('single'),
    { kind: 'refused', retryAfterSeconds: 2 },
    'the queue is full',
  );
  release(first);
  release(await third);
  release(await fourth);
  assert.deepEqual(order, ['third', 'fourth']);
});

test('who waits too long is refused', async () => {
  const overloadGuard = createOverloadGuard({ ...few, waitMs: 1 });
  await overloadGuard.admit('single');
  await overloadGuard.admit('single');
  assert.equal((await overloadGuard.admit('single')).kind, 'refused');
});

test('leaving twice gives one place back', async () => {
  const overloadGuard = createOverloadGuard(few);
  const first = await overloadGuard.admit('bulk');
  release(first);
  release(first);
  await overloadGuard.admit('bulk');
  assert.equal((await overloadGuard.admit('bulk')).kind, 'refused');
});

test('kinds do not take places from each other', async () => {
  const overloadGuard = createOverloadGuard(few);
  await overloadGuard.admit('bulk');
  assert.equal((await overloadGuard.admit('bulk')).kind, 'refused');
  assert.equal((await overloadGuard.admit('single')).kind, 'admitted');
  assert.equal((await overloadGuard.admit('read')).kind, 'admitted');
});

test('one late window sheds nothing, two shed bulk, later ones singles, and never polling', async () => {
  const overloadGuard = createOverloadGuard();
  const kinds = async () =>
    [
      await overloadGuard.admit('bulk'),
      await overloadGuard.admit('single'),
      await overloadGuard.admit('read'),
    ].map(({ kind }) => kind);
  overloadGuard.judgeWindow(window(300));
  assert.deepEqual(await kinds(), ['admitted', 'admitted', 'admitted']);
  overloadGuard.judgeWindow(window(300));
  assert.deepEqual(await kinds(), ['refused', 'admitted', 'admitted']);
  overloadGuard.judgeWindow(window(900));
  overloadGuard.judgeWindow(window(900));
  assert.deepEqual(await kinds(), ['refused', 'refused', 'admitted']);
});

test('a store that lets writes wait sheds bulk first, then singles, and never polling', async () => {
  const overloadGuard = createOverloadGuard();
  const kinds = async () =>
    [
      await overloadGuard.admit('bulk'),
      await overloadGuard.admit('single'),
      await overloadGuard.admit('read'),
    ].map(({ kind }) => kind);
  for (let windows = 0; windows < 2; windows += 1) overloadGuard.judgeWindow(window(0, 600));
  assert.deepEqual(await kinds(), ['refused', 'admitted', 'admitted']);
  for (let windows = 0; windows < 2; windows += 1) overloadGuard.judgeWindow(window(0, 1_500));
  assert.deepEqual(await kinds(), ['refused', 'refused', 'admitted']);
});

/** Two places and a queue, a wait of a second that counts as in time, and a clock that stands until it is moved. */
function bySchedule() {
  const time = { now: 0 };
  const limits = { ...few, waiting: { ...few.waiting, single: 100 }, waitMs: 2_000 };
  return { time, overloadGuard: createOverloadGuard(limits, () => time.now) };
}

test('who would not get a place in time is refused on coming, and waits again once places come free', async () => {
  const { time, overloadGuard } = bySchedule();
  const inside = [await overloadGuard.admit('single'), await overloadGuard.admit('single')];
  time.now = 500;
  for (const answer of inside) release(answer);
  // Two places held for half a second each: within the second that counts, four may be waited for.
  const next = [await overloadGuard.admit('single'), await overloadGuard.admit('single')];
  const waiting = Array.from({ length: 4 }, () => overloadGuard.admit('single'));
  assert.ok(waiting.every((answer) => answer instanceof Promise));
  assert.deepEqual(overloadGuard.admit('single'), { kind: 'refused', retryAfterSeconds: 2 });
  time.now = 1_000;
  for (const answer of next) release(answer);
  assert.ok(overloadGuard.admit('single') instanceof Promise, 'two of the four have their place');
  overloadGuard.drain();
});

test('a flood that begins at once leaves no more waiting than will get a place', async () => {
  const { time, overloadGuard } = bySchedule();
  const first = await overloadGuard.admit('single');
  time.now = 500;
  release(first);
  const flood = Array.from({ length: 100 }, () => overloadGuard.admit('single'));
  const kinds = flood.map((answer) => (answer instanceof Promise ? 'waiting' : answer.kind));
  assert.deepEqual(
    Object.fromEntries(
      Map.groupBy(kinds, (kind) => kind)
        .entries()
        .map(([kind, all]) => [kind, all.length]),
    ),
    {
      admitted: 2,
      waiting: 4,
      refused: 94,
    },
  );
  overloadGuard.drain();
});

test('nobody is made to wait where no place has come free for as long as one would wait', async () => {
  const { time, overloadGuard } = bySchedule();
  const first = await overloadGuard.admit('single');
  time.now = 10;
  release(first);
  await overloadGuard.admit('single');
  await overloadGuard.admit('single');
  assert.ok(overloadGuard.admit('single') instanceof Promise);
  time.now = 1_011;
  assert.equal((await overloadGuard.admit('single')).kind, 'refused');
  overloadGuard.drain();
});

test('while it is not known how long requests take, a burst waits', async () => {
  const { overloadGuard } = bySchedule();
  await overloadGuard.admit('single');
  await overloadGuard.admit('single');
  assert.ok(overloadGuard.admit('single') instanceof Promise);
  overloadGuard.drain();
});

test('shedding ends after two punctual windows in a row, not after one', async () => {
  const overloadGuard = createOverloadGuard();
  const kind = async () => (await overloadGuard.admit('bulk')).kind;
  for (const delayMs of [300, 300, 0, 300, 0]) overloadGuard.judgeWindow(window(delayMs));
  assert.equal(await kind(), 'refused');
  overloadGuard.judgeWindow(window(0));
  assert.equal(await kind(), 'admitted');
});

test('drain refuses the new and those who wait, and is idle when the last one leaves', async () => {
  const overloadGuard = createOverloadGuard(few);
  const first = await overloadGuard.admit('single');
  const second = await overloadGuard.admit('single');
  const waiting = Promise.resolve(overloadGuard.admit('single'));
  overloadGuard.drain();
  assert.equal((await waiting).kind, 'refused');
  assert.equal((await overloadGuard.admit('read')).kind, 'refused');
  let idle = false;
  const emptied = overloadGuard.idle().then(() => (idle = true));
  release(first);
  await Promise.resolve();
  assert.equal(idle, false);
  release(second);
  await emptied;
});
