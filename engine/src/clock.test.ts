import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test, describe } from 'node:test';
import { createTestClock } from '../test/support/test-clock.ts';
import { systemClock, createAlarm, type Alarm } from './clock.ts';

test('data that arrived while the process was held up is read before its wait is given up', async () => {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const events: string[] = [];
  socket.on('message', () => events.push('read'));
  const given = Promise.withResolvers<undefined>();
  socket.send('x', socket.address().port, '127.0.0.1', () => {
    systemClock.after(1, () => {
      events.push('given up');
      given.resolve(undefined);
    });
    // Nothing else runs until the timer is long due.
    const until = systemClock.now() + 50;
    while (systemClock.now() < until);
  });
  await given.promise;
  socket.close();
  assert.deepEqual(events, ['read', 'given up']);
});

test('a wait that is called off is not told, even where its time is over already', async () => {
  let told = 0;
  const cancel = systemClock.after(0, () => (told += 1));
  // Due right after the first, in the same round of timers.
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      cancel();
      setImmediate(() => setImmediate(resolve));
    }, 1);
  });
  assert.equal(told, 0);
});

type Waiting = { name: string; dueAt: number };

/** An alarm that removes each item it rings for, and notes it with the time. */
function setUp() {
  const clock = createTestClock();
  const rung: string[] = [];
  const alarm: Alarm<Waiting> = createAlarm(clock, (item, now) => {
    rung.push(`${item.name} ${now}`);
    alarm.delete(item);
  });
  return { clock, alarm, rung };
}

describe('an alarm', () => {
  test('rings for each at its time, whichever came first, with one timer', () => {
    const { clock, alarm, rung } = setUp();
    alarm.set({ name: 'late', dueAt: 300 });
    alarm.set({ name: 'soon', dueAt: 100 });
    alarm.set({ name: 'next', dueAt: 200 });
    assert.equal(clock.timers(), 1);
    clock.advance(1_000);
    assert.deepEqual(rung, ['soon 100', 'next 200', 'late 300']);
  });

  test('an item that has left is not rung for, and with the last one the timer goes', () => {
    const { clock, alarm, rung } = setUp();
    const gone = { name: 'gone', dueAt: 100 };
    const here = { name: 'here', dueAt: 200 };
    alarm.set(gone);
    alarm.set(here);
    alarm.delete(gone);
    clock.advance(150);
    assert.deepEqual([rung, clock.timers()], [[], 1]);
    alarm.delete(here);
    assert.equal(clock.timers(), 0);
    clock.advance(1_000);
    assert.deepEqual(rung, []);
  });

  test('a new time counts, be it sooner or later', () => {
    const clock = createTestClock();
    const rung: number[] = [];
    const alarm: Alarm<{ dueAt: number }> = createAlarm(clock, (item, now) => {
      rung.push(now);
      item.dueAt = now + 100;
      if (rung.length === 3) alarm.delete(item);
    });
    const item = { dueAt: 500 };
    alarm.set(item);
    item.dueAt = 50;
    alarm.set(item);
    clock.advance(1_000);
    assert.deepEqual([rung, clock.timers()], [[50, 150, 250], 0]);
  });

  test('an item that comes while it rings is rung for in turn', () => {
    const clock = createTestClock();
    const rung: string[] = [];
    const alarm: Alarm<Waiting> = createAlarm(clock, (item, now) => {
      rung.push(`${item.name} ${now}`);
      alarm.delete(item);
      if (item.name === 'first') alarm.set({ name: 'second', dueAt: now + 10 });
    });
    alarm.set({ name: 'first', dueAt: 100 });
    clock.advance(1_000);
    assert.deepEqual([rung, clock.timers()], [['first 100', 'second 110'], 0]);
  });
});
