import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createGate } from './gate.ts';

const signal = new AbortController().signal;

describe('a gate', () => {
  test('lets its number in, and the others in the order they came', async () => {
    const gate = createGate(2);
    const entered: number[] = [];
    const leaves: (() => void)[] = [];
    const callers = [0, 1, 2, 3].map(async (caller) => {
      leaves[caller] = await gate.enter(signal);
      entered.push(caller);
    });
    await Promise.all(callers.slice(0, 2));
    assert.deepEqual(entered, [0, 1]);
    leaves[1]?.();
    await callers[2];
    leaves[0]?.();
    await callers[3];
    assert.deepEqual(entered, [0, 1, 2, 3]);
  });

  test('a place given back twice is one place', async () => {
    const gate = createGate(1);
    const leave = await gate.enter(signal);
    leave();
    leave();
    await gate.enter(signal);
    let third = false;
    void gate.enter(signal).then(() => (third = true));
    await new Promise(setImmediate);
    assert.equal(third, false);
  });

  test('one who gives up is rejected with the reason and takes no place', async () => {
    const gate = createGate(1);
    const leave = await gate.enter(signal);
    const abort = new AbortController();
    const reason = new Error('enough');
    const waiting = gate.enter(abort.signal);
    const next = gate.enter(signal);
    abort.abort(reason);
    await assert.rejects(waiting, reason);
    leave();
    await next;
    await assert.rejects(gate.enter(abort.signal), reason);
  });
});
