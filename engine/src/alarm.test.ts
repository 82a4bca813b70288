import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../test/support/test-clock.ts';
import { createAlarm, type Alarm } from './alarm.ts';

type Waiting = { name: string; dueAt: number };

/** An alarm that lets go of whoever it rings for, and notes it with the time. */
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

  test('who has left is not rung for, and with the last of them the timer goes', () => {
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

  test('whoever comes while it rings is rung for in turn', () => {
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
