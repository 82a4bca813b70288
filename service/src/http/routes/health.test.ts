import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../../db/store-unavailable-error.ts';
import { createReadiness } from './health.ts';

test('says what is wrong with the store, asks it once a second at most, and recovers', async () => {
  let now = 0;
  let asked = 0;
  let fault: Error | undefined = new StoreUnavailableError('full');
  const readiness = createReadiness({
    store: {
      check: () => {
        asked += 1;
        return fault === undefined ? Promise.resolve() : Promise.reject(fault);
      },
    },
    clock: { now: () => now },
    wallClock: { now: () => 0 },
  });
  const problems = ['the store is unavailable: the disk is full'];
  assert.deepEqual(await readiness(), { ready: false, problems });
  fault = undefined;
  now = 999;
  assert.deepEqual(await readiness(), { ready: false, problems });
  assert.equal(asked, 1);
  now = 1_000;
  assert.deepEqual(await readiness(), { ready: true });
});
