import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { createOwnSignals, Stop, type StopSignal } from './patience.ts';

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

/** Each promise holds for the runtime's signals as well: a wait cannot tell which it has. */
const kinds: { name: string; create: () => { signal: StopSignal; abort(reason: unknown): void } }[] = [
  { name: 'our own', create: () => new Stop() },
  { name: "the runtime's", create: () => new AbortController() },
];

for (const { name, create } of kinds) {
  test(`${name}: every listener is told once, in order, and finds the reason`, () => {
    const { control, told, listen } = setUpStop(create());
    listen('first');
    listen('second');
    assert.equal(control.signal.aborted, false);
    control.signal.throwIfAborted();
    const reason = new Error('enough');
    control.abort(reason);
    control.abort(new Error('again'));
    assert.deepEqual(told, ['first', 'second']);
    assert.equal(control.signal.aborted, true);
    assert.equal(control.signal.reason, reason);
    assert.throws(
      () => control.signal.throwIfAborted(),
      (error) => error === reason,
    );
  });

  test(`${name}: a listener that was taken off is not told, even if that happens meanwhile`, () => {
    const { control, told, listen } = setUpStop(create());
    const leaveEarly = listen('early');
    control.signal.addEventListener('abort', () => leaveLate());
    const leaveLate = listen('late');
    listen('last');
    leaveEarly();
    leaveEarly();
    control.abort(new Error('enough'));
    assert.deepEqual(told, ['last']);
  });

  test(`${name}: a listener that comes twice is told once, and one that comes too late is not told`, () => {
    const { control, told } = setUpStop(create());
    const listener = (): void => {
      told.push('told');
      control.signal.addEventListener('abort', () => told.push('too late'));
    };
    control.signal.addEventListener('abort', listener);
    control.signal.addEventListener('abort', listener);
    control.abort(new Error('enough'));
    assert.deepEqual(told, ['told']);
  });
}

function setUpStop(control: ReturnType<(typeof kinds)[number]['create']>) {
  const told: string[] = [];
  const listen = (name: string) => {
    const listener = (): void => void told.push(name);
    control.signal.addEventListener('abort', listener);
    return () => control.signal.removeEventListener('abort', listener);
  };
  return { control, told, listen };
}
