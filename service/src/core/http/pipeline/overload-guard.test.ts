import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import {
  overloadLimits,
  createOverloadGuard,
  type AdmitAnswer,
  type OverloadGuard,
} from './overload-guard.ts';

/** Of three places one asker may hold two. */
const few = {
  ...overloadLimits,
  inFlight: { single: 3, bulk: 1, upload: 1, read: 1, prober: 0, account: 1, form: 1 },
  waiting: { single: 3, bulk: 0, upload: 1, read: 0, prober: 0, account: 0, form: 0 },
  waitMs: 60_000,
};

const window = (loopDelayMs: number, storeWaitMs = 0) => ({ loopDelayMs, storeWaitMs });

function release(answer: AdmitAnswer): void {
  assert.ok(answer.kind === 'admitted');
  answer.release();
}

test('a burst over the cap waits for a place and gets it in the order it came', async () => {
  const overloadGuard = createOverloadGuard(few);
  const first = await overloadGuard.admit('single', 'a');
  await overloadGuard.admit('single', 'a');
  const order: string[] = [];
  const third = Promise.resolve(overloadGuard.admit('single', 'a')).then(
    (given) => (order.push('third'), given),
  );
  const fourth = Promise.resolve(overloadGuard.admit('single', 'a')).then(
    (given) => (order.push('fourth'), given),
  );
  assert.deepEqual(
    await overloadGuard.admit('single', 'a'),
    { kind: 'refused', why: 'overload', retryAfterSeconds: 2 },
    'the queue is full',
  );
  release(first);
  release(await third);
  release(await fourth);
  assert.deepEqual(order, ['third', 'fourth']);
});

test('there is a place where it would be given at once: not beyond a share, not in a late process, not in a drain', async () => {
  const overloadGuard = createOverloadGuard(few);
  assert.equal(overloadGuard.hasPlace('single', 'a'), true);
  const first = await overloadGuard.admit('single', 'a');
  await overloadGuard.admit('single', 'a');
  assert.equal(overloadGuard.hasPlace('single', 'a'), false);
  assert.equal(overloadGuard.hasPlace('single', 'b'), true, 'to look takes nothing');
  release(first);
  assert.equal(overloadGuard.hasPlace('single', 'a'), true);
  for (let late = 0; late < 2; late += 1) overloadGuard.judgeWindow(window(900));
  assert.equal(overloadGuard.hasPlace('single', 'a'), false);
  assert.equal(overloadGuard.hasPlace('read', 'a'), true);
  overloadGuard.drain();
  assert.equal(overloadGuard.hasPlace('read', 'a'), false);
});

test('who waits too long is refused', async () => {
  const overloadGuard = createOverloadGuard({ ...few, waitMs: 1 });
  await overloadGuard.admit('single', 'a');
  await overloadGuard.admit('single', 'a');
  assert.equal((await overloadGuard.admit('single', 'a')).kind, 'refused');
});

test('leaving twice gives one place back', async () => {
  const overloadGuard = createOverloadGuard(few);
  const first = await overloadGuard.admit('bulk', 'a');
  release(first);
  release(first);
  await overloadGuard.admit('bulk', 'a');
  assert.equal((await overloadGuard.admit('bulk', 'a')).kind, 'refused');
});

test('kinds do not take places from each other', async () => {
  const overloadGuard = createOverloadGuard(few);
  await overloadGuard.admit('bulk', 'a');
  assert.equal((await overloadGuard.admit('bulk', 'a')).kind, 'refused');
  assert.equal((await overloadGuard.admit('single', 'a')).kind, 'admitted');
  assert.equal((await overloadGuard.admit('read', 'a')).kind, 'admitted');
});

test('one late window sheds nothing, two shed bulk, later ones singles, and never polling', async () => {
  const overloadGuard = createOverloadGuard();
  const kinds = async () =>
    [
      await overloadGuard.admit('bulk', 'a'),
      await overloadGuard.admit('single', 'a'),
      await overloadGuard.admit('read', 'a'),
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
      await overloadGuard.admit('bulk', 'a'),
      await overloadGuard.admit('single', 'a'),
      await overloadGuard.admit('read', 'a'),
    ].map(({ kind }) => kind);
  for (let windows = 0; windows < 2; windows += 1) overloadGuard.judgeWindow(window(0, 600));
  assert.deepEqual(await kinds(), ['refused', 'admitted', 'admitted']);
  for (let windows = 0; windows < 2; windows += 1) overloadGuard.judgeWindow(window(0, 1_500));
  assert.deepEqual(await kinds(), ['refused', 'refused', 'admitted']);
});

/** Two places and a queue, a wait of a second that counts as in time, and a clock that stands until it is moved. */
function bySchedule() {
  const time = createTestClock();
  const limits = { ...few, waiting: { ...few.waiting, single: 100 }, waitMs: 2_000 };
  return { time, overloadGuard: createOverloadGuard(limits, time) };
}

test('who would not get a place in time is refused on coming, and waits again once places come free', async () => {
  const { time, overloadGuard } = bySchedule();
  const inside = [await overloadGuard.admit('single', 'a'), await overloadGuard.admit('single', 'a')];
  time.advance(500);
  for (const answer of inside) release(answer);
  // Two places held for half a second each: within the second that counts, four may be waited for.
  const next = [await overloadGuard.admit('single', 'a'), await overloadGuard.admit('single', 'a')];
  const waiting = Array.from({ length: 4 }, () => overloadGuard.admit('single', 'a'));
  assert.ok(waiting.every((answer) => answer instanceof Promise));
  assert.deepEqual(overloadGuard.admit('single', 'a'), {
    kind: 'refused',
    why: 'overload',
    retryAfterSeconds: 2,
  });
  time.advance(500);
  for (const answer of next) release(answer);
  await nextTick();
  assert.ok(overloadGuard.admit('single', 'a') instanceof Promise, 'two of the four have their place');
  overloadGuard.drain();
});

test('a flood that begins at once leaves no more waiting than will get a place', async () => {
  const { time, overloadGuard } = bySchedule();
  const first = await overloadGuard.admit('single', 'a');
  time.advance(500);
  release(first);
  const flood = Array.from({ length: 100 }, () => overloadGuard.admit('single', 'a'));
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
  const first = await overloadGuard.admit('single', 'a');
  time.advance(10);
  release(first);
  await overloadGuard.admit('single', 'a');
  await overloadGuard.admit('single', 'a');
  assert.ok(overloadGuard.admit('single', 'a') instanceof Promise);
  time.advance(1_001);
  assert.equal((await overloadGuard.admit('single', 'a')).kind, 'refused');
  overloadGuard.drain();
});

test('a burst waits however long ago the last place came free, where none was held since', async () => {
  const { time, overloadGuard } = bySchedule();
  const first = await overloadGuard.admit('single', 'a');
  time.advance(10);
  release(first);
  time.advance(3_600_000);
  await overloadGuard.admit('single', 'a');
  await overloadGuard.admit('single', 'a');
  assert.ok(overloadGuard.admit('single', 'a') instanceof Promise);
  overloadGuard.drain();
});

test('while it is not known how long requests take, a burst waits', async () => {
  const { overloadGuard } = bySchedule();
  await overloadGuard.admit('single', 'a');
  await overloadGuard.admit('single', 'a');
  assert.ok(overloadGuard.admit('single', 'a') instanceof Promise);
  overloadGuard.drain();
});

test('shedding ends after two punctual windows in a row, not after one', async () => {
  const overloadGuard = createOverloadGuard();
  const kind = async () => (await overloadGuard.admit('bulk', 'a')).kind;
  for (const delayMs of [300, 300, 0, 300, 0]) overloadGuard.judgeWindow(window(delayMs));
  assert.equal(await kind(), 'refused');
  overloadGuard.judgeWindow(window(0));
  assert.equal(await kind(), 'admitted');
});

test('drain refuses the new and those who wait, and is idle when the last one leaves', async () => {
  const overloadGuard = createOverloadGuard(few);
  const first = await overloadGuard.admit('single', 'a');
  const second = await overloadGuard.admit('single', 'a');
  const waiting = Promise.resolve(overloadGuard.admit('single', 'a'));
  overloadGuard.drain();
  assert.equal((await waiting).kind, 'refused');
  assert.equal((await overloadGuard.admit('read', 'a')).kind, 'refused');
  let idle = false;
  const emptied = overloadGuard.idle().then(() => (idle = true));
  release(first);
  await Promise.resolve();
  assert.equal(idle, false);
  release(second);
  await emptied;
});

/** Who is admitted now, of requests that come one after the other. */
function admitted(guard: OverloadGuard, askers: string[]): string[] {
  return askers.filter((asker) => {
    const answer = guard.admit('single', asker);
    return !(answer instanceof Promise) && answer.kind === 'admitted';
  });
}

test('one account alone has four fifths of the places, and whoever comes then is admitted at once', () => {
  const overloadGuard = createOverloadGuard();
  assert.equal(admitted(overloadGuard, Array<string>(1_000).fill('a')).length, 160);
  assert.equal(admitted(overloadGuard, Array<string>(20).fill('b')).length, 20);
  assert.deepEqual(admitted(overloadGuard, ['c', 'a', 'd']), ['c', 'd']);
  overloadGuard.drain();
});

test('an account that held too much when others came gets no more until it has given back its surplus', async () => {
  const overloadGuard = createOverloadGuard();
  const places = [];
  for (let n = 0; n < 160; n += 1) places.push(await overloadGuard.admit('single', 'a'));
  admitted(overloadGuard, Array<string>(32).fill('b'));
  const waiting = Promise.resolve(overloadGuard.admit('single', 'a'));
  let hasPlace = false;
  void waiting.then(() => (hasPlace = true));
  // Eight places are free; it holds 160 and may have no more than four times as many as are left.
  for (const place of places.slice(0, 24)) release(place);
  await nextTick();
  assert.equal(hasPlace, false);
  for (const place of places.slice(24, 28)) release(place);
  assert.equal((await waiting).kind, 'admitted');
  overloadGuard.drain();
});

test('who waits is served in turn by account, not behind all of another', async () => {
  const time = createTestClock();
  const overloadGuard = createOverloadGuard({ ...few, waiting: { ...few.waiting, single: 100 } }, time);
  const first = await overloadGuard.admit('single', 'x');
  const others = [await overloadGuard.admit('single', 'y'), await overloadGuard.admit('single', 'z')];
  const order: string[] = [];
  for (const asker of ['a', 'a', 'a', 'b', 'c']) {
    void Promise.resolve(overloadGuard.admit('single', asker)).then((answer) => {
      order.push(asker);
      release(answer);
    });
  }
  release(first);
  await nextTick();
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'a']);
  for (const place of others) release(place);
});

test('a thousand singles of one account at once are served, those over its share after a wait', () => {
  const overloadGuard = createOverloadGuard();
  const answers = Array.from({ length: 1_000 }, () => overloadGuard.admit('single', 'a'));
  const atOnce = answers.filter((answer) => !(answer instanceof Promise) && answer.kind === 'admitted');
  const later = answers.filter((answer) => answer instanceof Promise);
  assert.deepEqual([atOnce.length, later.length], [160, 840]);
  overloadGuard.drain();
});

test('one account does not fill the queue either', () => {
  const overloadGuard = createOverloadGuard();
  // All places are taken, by many: now everybody has to wait.
  admitted(
    overloadGuard,
    Array.from({ length: 200 }, (_, n) => `account ${n}`),
  );
  const queued = (asker: string) => overloadGuard.admit('single', asker) instanceof Promise;
  assert.equal(Array.from({ length: 2_000 }, () => queued('a')).filter(Boolean).length, 880);
  assert.ok(queued('b'));
  overloadGuard.drain();
});

test('how long one account takes says nothing of how long another has to wait', async () => {
  const time = createTestClock();
  const overloadGuard = createOverloadGuard(overloadLimits, time);
  const hold = async (asker: string, ms: number) => {
    const place = await overloadGuard.admit('single', asker);
    time.advance(ms);
    release(place);
  };
  await hold('slow', 30_000);
  await hold('quick', 20);
  admitted(overloadGuard, Array<string>(160).fill('slow'));
  admitted(overloadGuard, Array<string>(32).fill('quick'));
  assert.ok(overloadGuard.admit('single', 'quick') instanceof Promise, 'waits for a moment');
  for (let n = 0; n < 5; n += 1) void overloadGuard.admit('single', 'slow');
  assert.deepEqual(overloadGuard.admit('single', 'slow'), {
    kind: 'refused',
    why: 'overload',
    retryAfterSeconds: 2,
  });
  overloadGuard.drain();
});
