import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stop, type StopSignal } from './stop.ts';

/** Each promise holds for the runtime's signals as well: a wait cannot tell which it has. */
const kinds: { name: string; create: () => { signal: StopSignal; abort(reason: unknown): void } }[] = [
  { name: 'our own', create: () => new Stop() },
  { name: "the runtime's", create: () => new AbortController() },
];

for (const { name, create } of kinds) {
  test(`${name}: every listener is told once, in order, and finds the reason`, () => {
    const { control, told, listen } = setUp(create());
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
    const { control, told, listen } = setUp(create());
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
    const { control, told } = setUp(create());
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

function setUp(control: ReturnType<(typeof kinds)[number]['create']>) {
  const told: string[] = [];
  const listen = (name: string) => {
    const listener = (): void => void told.push(name);
    control.signal.addEventListener('abort', listener);
    return () => control.signal.removeEventListener('abort', listener);
  };
  return { control, told, listen };
}
