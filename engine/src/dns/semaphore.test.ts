import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSemaphore } from './semaphore.ts';

const signal = new AbortController().signal;

describe('a semaphore', () => {
  test('lets its number in, and the others in the order they came', async () => {
    const semaphore = createSemaphore(2);
    const entered: number[] = [];
    const releases: (() => void)[] = [];
    const callers = [0, 1, 2, 3].map(async (caller) => {
      releases[caller] = await semaphore.acquire(signal);
      entered.push(caller);
    });
    await Promise.all(callers.slice(0, 2));
    assert.deepEqual(entered, [0, 1]);
    releases[1]?.();
    await callers[2];
    releases[0]?.();
    await callers[3];
    assert.deepEqual(entered, [0, 1, 2, 3]);
  });

  test('a place given back twice is one place', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(signal);
    release();
    release();
    await semaphore.acquire(signal);
    let third = false;
    void semaphore.acquire(signal).then(() => (third = true));
    await new Promise(setImmediate);
    assert.equal(third, false);
  });

  test('one who gives up is rejected with the reason and takes no place', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(signal);
    const abort = new AbortController();
    const reason = new Error('enough');
    const waiting = semaphore.acquire(abort.signal);
    const next = semaphore.acquire(signal);
    abort.abort(reason);
    await assert.rejects(waiting, reason);
    release();
    await next;
    await assert.rejects(semaphore.acquire(abort.signal), reason);
  });
});
