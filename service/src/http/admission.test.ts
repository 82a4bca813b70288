import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionLimits, createAdmission, type Admittance } from './admission.ts';

const few = {
  ...admissionLimits,
  inFlight: { single: 2, bulk: 1, read: 1, account: 1 },
  waiting: { single: 2, bulk: 0, read: 0, account: 0 },
  waitMs: 60_000,
};

const window = (loopDelayMs: number, storeWaitMs = 0) => ({ loopDelayMs, storeWaitMs });

function leave(admittance: Admittance): void {
  assert.ok(admittance.kind === 'admitted');
  admittance.leave();
}

test('a burst over the cap waits for a place and gets it in the order it came', async () => {
  const admission = createAdmission(few);
  const first = await admission.admit('single');
  await admission.admit('single');
  const order: string[] = [];
  const third = Promise.resolve(admission.admit('single')).then((given) => (order.push('third'), given));
  const fourth = Promise.resolve(admission.admit('single')).then((given) => (order.push('fourth'), given));
  assert.deepEqual(
    await admission.admit('single'),
    { kind: 'refused', retryAfterSeconds: 2 },
    'the queue is full',
  );
  leave(first);
  leave(await third);
  leave(await fourth);
  assert.deepEqual(order, ['third', 'fourth']);
});

test('who waits too long is refused', async () => {
  const admission = createAdmission({ ...few, waitMs: 1 });
  await admission.admit('single');
  await admission.admit('single');
  assert.equal((await admission.admit('single')).kind, 'refused');
});

test('leaving twice gives one place back', async () => {
  const admission = createAdmission(few);
  const first = await admission.admit('bulk');
  leave(first);
  leave(first);
  await admission.admit('bulk');
  assert.equal((await admission.admit('bulk')).kind, 'refused');
});

test('kinds do not take places from each other', async () => {
  const admission = createAdmission(few);
  await admission.admit('bulk');
  assert.equal((await admission.admit('bulk')).kind, 'refused');
  assert.equal((await admission.admit('single')).kind, 'admitted');
  assert.equal((await admission.admit('read')).kind, 'admitted');
});

test('one late window sheds nothing, two shed bulk, later ones singles, and never polling', async () => {
  const admission = createAdmission();
  const kinds = async () =>
    [await admission.admit('bulk'), await admission.admit('single'), await admission.admit('read')].map(
      ({ kind }) => kind,
    );
  admission.judgeWindow(window(300));
  assert.deepEqual(await kinds(), ['admitted', 'admitted', 'admitted']);
  admission.judgeWindow(window(300));
  assert.deepEqual(await kinds(), ['refused', 'admitted', 'admitted']);
  admission.judgeWindow(window(900));
  admission.judgeWindow(window(900));
  assert.deepEqual(await kinds(), ['refused', 'refused', 'admitted']);
});

test('a store that lets writes wait sheds bulk first, then singles, and never polling', async () => {
  const admission = createAdmission();
  const kinds = async () =>
    [await admission.admit('bulk'), await admission.admit('single'), await admission.admit('read')].map(
      ({ kind }) => kind,
    );
  for (let windows = 0; windows < 2; windows += 1) admission.judgeWindow(window(0, 600));
  assert.deepEqual(await kinds(), ['refused', 'admitted', 'admitted']);
  for (let windows = 0; windows < 2; windows += 1) admission.judgeWindow(window(0, 1_500));
  assert.deepEqual(await kinds(), ['refused', 'refused', 'admitted']);
});

/** Two places and a queue, a wait of a second that counts as in time, and a clock that stands until it is moved. */
function bySchedule() {
  const time = { now: 0 };
  const limits = { ...few, waiting: { ...few.waiting, single: 100 }, waitMs: 2_000 };
  return { time, admission: createAdmission(limits, () => time.now) };
}

test('who would not get a place in time is refused on coming, and waits again once places come free', async () => {
  const { time, admission } = bySchedule();
  const inside = [await admission.admit('single'), await admission.admit('single')];
  time.now = 500;
  for (const admittance of inside) leave(admittance);
  // Two places held for half a second each: within the second that counts, four may be waited for.
  const next = [await admission.admit('single'), await admission.admit('single')];
  const waiting = Array.from({ length: 4 }, () => admission.admit('single'));
  assert.ok(waiting.every((answer) => answer instanceof Promise));
  assert.deepEqual(admission.admit('single'), { kind: 'refused', retryAfterSeconds: 2 });
  time.now = 1_000;
  for (const admittance of next) leave(admittance);
  assert.ok(admission.admit('single') instanceof Promise, 'two of the four have their place');
  admission.drain();
});

test('a flood that begins at once leaves no more waiting than will get a place', async () => {
  const { time, admission } = bySchedule();
  const first = await admission.admit('single');
  time.now = 500;
  leave(first);
  const flood = Array.from({ length: 100 }, () => admission.admit('single'));
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
  admission.drain();
});

test('nobody is made to wait where no place has come free for as long as one would wait', async () => {
  const { time, admission } = bySchedule();
  const first = await admission.admit('single');
  time.now = 10;
  leave(first);
  await admission.admit('single');
  await admission.admit('single');
  assert.ok(admission.admit('single') instanceof Promise);
  time.now = 1_011;
  assert.equal((await admission.admit('single')).kind, 'refused');
  admission.drain();
});

test('while it is not known how long requests take, a burst waits', async () => {
  const { admission } = bySchedule();
  await admission.admit('single');
  await admission.admit('single');
  assert.ok(admission.admit('single') instanceof Promise);
  admission.drain();
});

test('shedding ends after two punctual windows in a row, not after one', async () => {
  const admission = createAdmission();
  const kind = async () => (await admission.admit('bulk')).kind;
  for (const delayMs of [300, 300, 0, 300, 0]) admission.judgeWindow(window(delayMs));
  assert.equal(await kind(), 'refused');
  admission.judgeWindow(window(0));
  assert.equal(await kind(), 'admitted');
});

test('drain refuses the new and those who wait, and is idle when the last one leaves', async () => {
  const admission = createAdmission(few);
  const first = await admission.admit('single');
  const second = await admission.admit('single');
  const waiting = Promise.resolve(admission.admit('single'));
  admission.drain();
  assert.equal((await waiting).kind, 'refused');
  assert.equal((await admission.admit('read')).kind, 'refused');
  let idle = false;
  const emptied = admission.idle().then(() => (idle = true));
  leave(first);
  await Promise.resolve();
  assert.equal(idle, false);
  leave(second);
  await emptied;
});
