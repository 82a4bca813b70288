import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { createSandboxAllowance, limitSandbox, retentionOf } from './sandbox-allowance.ts';

const hourMs = 3_600_000;

function setUp() {
  const time = createTestClock();
  const allowance = createSandboxAllowance({ clock: time, addressesPerHour: 1_000 });
  return { time, allowance };
}

test('what is stored in the sandbox lives an hour, or less where everything does', () => {
  assert.equal(retentionOf('test', 15 * 24 * hourMs), hourMs);
  assert.equal(retentionOf('test', 60_000), 60_000);
  assert.equal(retentionOf('live', 15 * 24 * hourMs), 15 * 24 * hourMs);
});

test('in any hour an account may have no more stored than its allowance, and it comes back as it is erased', () => {
  const { time, allowance } = setUp();
  allowance.take('a', 400);
  time.advance(hourMs / 2);
  allowance.take('a', 600);
  assert.deepEqual([allowance.left('a'), allowance.left('b')], [0, 1_000]);
  assert.equal(allowance.retryAfterSeconds('a'), 1_800);
  time.advance(hourMs / 2 - 1);
  assert.equal(allowance.left('a'), 0);
  time.advance(1);
  assert.equal(allowance.left('a'), 400);
  time.advance(hourMs / 2);
  assert.equal(allowance.left('a'), 1_000);
});

test('uses are remembered by the minute, so that a million small ones cost no more than sixty', () => {
  const { time, allowance } = setUp();
  for (let n = 0; n < 1_000; n += 1) {
    allowance.take('a', 1);
    time.advance(1_000);
  }
  assert.equal(allowance.left('a'), 0);
  time.advance(hourMs - 1_000_000 + 60_000);
  assert.ok(allowance.left('a') >= 60);
});

test('test keys are refused beyond it, live keys are not counted, and what was not stored is given back', async () => {
  const { allowance } = setUp();
  const work = (request: { stored: boolean }) => Promise.resolve({ kind: 'done', stored: request.stored });
  const limited = limitSandbox(
    (request: { caller: { accountId: string; mode: 'live' | 'test' }; stored: boolean }) => work(request),
    { allowance, addressesIn: () => 600, isStored: ({ stored }) => stored },
  );
  const ask = async (mode: 'live' | 'test', stored = true) =>
    (await limited({ caller: { accountId: 'a', mode }, stored })).kind;
  assert.equal(await ask('test', false), 'done');
  assert.equal(allowance.left('a'), 1_000);
  assert.equal(await ask('live'), 'done');
  assert.equal(allowance.left('a'), 1_000);
  assert.equal(await ask('test'), 'done');
  assert.equal(await ask('test'), 'sandbox_used_up');
  assert.equal(await ask('live'), 'done');
  assert.equal(allowance.left('a'), 400);
});

test('work that fails is given back', async () => {
  const { allowance } = setUp();
  const limited = limitSandbox(() => Promise.reject(new Error('the store is gone')), {
    allowance,
    addressesIn: () => 1,
    isStored: () => true,
  });
  await assert.rejects(limited({ caller: { accountId: 'a', mode: 'test' } }));
  assert.equal(allowance.left('a'), 1_000);
});
