import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { createOwnSignals } from './patience.ts';
import type { StopSignal } from './stop.ts';

function setUp() {
  const outer = new AbortController();
  const listeners = () => getEventListeners(outer.signal, 'abort').length;
  return { outer, listeners, signals: createOwnSignals(outer.signal) };
}

test('the end of the outer signal reaches all under way at once, with its reason', () => {
  const { outer, listeners, signals } = setUp();
  const own = Array.from({ length: 100 }, () => signals.begin());
  assert.equal(listeners(), 1);
  assert.ok(own.every(({ signal }) => !signal.aborted));
  const reason = new Error('interrupted');
  outer.abort(reason);
  assert.ok(own.every(({ signal }) => signal.aborted && signal.reason === reason));
});

test('one that has ended is left alone, and its end leaves nothing behind', () => {
  const { outer, listeners, signals } = setUp();
  const [first, second] = [signals.begin(), signals.begin()];
  signals.end(first);
  signals.end(first);
  assert.equal(listeners(), 1);
  signals.end(second);
  assert.equal(listeners(), 0);
  const third = signals.begin();
  outer.abort();
  assert.deepEqual(
    [first, second, third].map(({ signal }) => signal.aborted),
    [false, false, true],
  );
  signals.end(third);
  assert.equal(listeners(), 0);
});

test('one that begins after the end of the outer signal is aborted from the start', () => {
  const { outer, listeners, signals } = setUp();
  const before = signals.begin();
  let meanwhile: StopSignal | undefined;
  before.signal.addEventListener('abort', () => (meanwhile = signals.begin().signal));
  const reason = new Error('interrupted');
  outer.abort(reason);
  assert.equal(meanwhile?.reason, reason);
  assert.equal(signals.begin().signal.reason, reason);
  signals.end(before);
  assert.equal(listeners(), 0);
});
