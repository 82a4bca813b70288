import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStoreWatch, createWriteFaults } from './store-watch.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';

function openWatch(check: () => Promise<void>) {
  const timers: (() => void)[] = [];
  const clock = {
    at: 0,
    now: () => clock.at,
    after: (_: number, callback: () => void) => {
      timers.push(callback);
      return () => undefined;
    },
  };
  const faults = createWriteFaults({ clock });
  const watch = createStoreWatch({ store: { check }, faults, clock, wallClock: { now: () => 0 } });
  return { watch, faults, clock, timers };
}

test('says what is wrong with the store, checks it once a second at most, and recovers', async () => {
  let checks = 0;
  let fault: Error | undefined = new StoreUnavailableError('busy', undefined, 'the table account is locked');
  const { watch, clock } = openWatch(() => {
    checks += 1;
    return fault === undefined ? Promise.resolve() : Promise.reject(fault);
  });
  const problem = 'the store is unavailable: the table account is locked';
  assert.deepEqual(await watch.look(), { kind: 'unavailable', fault: 'busy', problem });
  fault = undefined;
  clock.at = 999;
  assert.equal((await watch.look()).kind, 'unavailable');
  assert.equal(checks, 1);
  clock.at = 1_000;
  assert.deepEqual(await watch.look(), { kind: 'available' });
});

test('a transaction that found the disk full counts for five seconds, whatever the check says', async () => {
  const { watch, faults, clock } = openWatch(() => Promise.resolve());
  faults.note({ operations: 1, tookMs: 1, outcome: 'failed', fault: 'full' });
  const problem = 'the store is unavailable: the disk is full';
  assert.deepEqual(await watch.look(), { kind: 'unavailable', fault: 'full', problem });
  clock.at = 5_000;
  assert.deepEqual(await watch.look(), { kind: 'available' });
});

test('the lock of one account says nothing about the store', async () => {
  const { watch, faults } = openWatch(() => Promise.resolve());
  faults.note({ operations: 1, tookMs: 1, outcome: 'failed', fault: 'busy' });
  assert.deepEqual(await watch.look(), { kind: 'available' });
});

test('a check that does not end is told as slow', async () => {
  const { watch, timers } = openWatch(() => new Promise(() => undefined));
  const looked = watch.look();
  for (const end of timers) end();
  const state = await looked;
  assert.equal(state.kind === 'unavailable' && state.fault, 'slow');
});
