import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionLimits, createAdmission, type Admittance } from './admission.ts';

const few = {
  ...admissionLimits,
  inFlight: { single: 2, bulk: 1, read: 1, account: 1 },
  waiting: { single: 2, bulk: 0, read: 0, account: 0 },
  waitMs: 60_000,
};

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
  admission.judgeWindow(300);
  assert.deepEqual(await kinds(), ['admitted', 'admitted', 'admitted']);
  admission.judgeWindow(300);
  assert.deepEqual(await kinds(), ['refused', 'admitted', 'admitted']);
  admission.judgeWindow(900);
  admission.judgeWindow(900);
  assert.deepEqual(await kinds(), ['refused', 'refused', 'admitted']);
});

test('shedding ends after two punctual windows in a row, not after one', async () => {
  const admission = createAdmission();
  const kind = async () => (await admission.admit('bulk')).kind;
  for (const delayMs of [300, 300, 0, 300, 0]) admission.judgeWindow(delayMs);
  assert.equal(await kind(), 'refused');
  admission.judgeWindow(0);
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
