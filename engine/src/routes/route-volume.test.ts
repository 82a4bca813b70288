import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createRouteVolume, type VolumeState } from './route-volume.ts';

const dayMs = 86_400_000;
const noon = 20_000 * dayMs + dayMs / 2;

function volumeOf(volume: Parameters<typeof createRouteVolume>[0], kept?: VolumeState) {
  const clock = createTestClock();
  const start = clock.now();
  const wall = { shift: 0, now: () => noon + clock.now() - start + wall.shift };
  const route = createRouteVolume(volume, { clock, wallClock: wall });
  if (kept !== undefined) route.restore(kept);
  /** Opens connections while it may, and returns how many. */
  const openAll = (): number => {
    let opened = 0;
    for (; opened < 1_000_000 && route.dayWaitMs() === 0 && route.minuteWaitMs() === 0; opened += 1)
      route.opened();
    return opened;
  };
  return { route, clock, wall, openAll };
}

describe('the volume of a route', () => {
  it('is not limited unless it is set', () => {
    const { route, openAll } = volumeOf({});
    assert.equal(openAll(), 1_000_000);
    assert.equal(route.dayLimit(), Infinity);
  });

  it('is never more than perMinute in any sixty seconds, however they are cut', () => {
    const { route, clock } = volumeOf({ perMinute: 7 });
    const opened: number[] = [];
    for (let second = 0; second < 600; second += 1) {
      // Bursts at odd times.
      for (let wish = 0; wish < (second * 7) % 5 && route.minuteWaitMs() === 0; wish += 1) {
        route.opened();
        opened.push(clock.now());
      }
      clock.advance(1_000);
    }
    const busiest = Math.max(
      ...opened.map((from) => opened.filter((at) => at >= from && at < from + 60_000).length),
    );
    assert.equal(busiest, 7);
    assert.ok(opened.length >= 7 * 9, String(opened.length));
  });

  it('says how long to wait, and the wait is enough', () => {
    const { route, clock, openAll } = volumeOf({ perMinute: 2 });
    route.opened();
    clock.advance(10_000);
    route.opened();
    assert.equal(route.minuteWaitMs(), 50_000);
    clock.advance(49_999);
    assert.equal(route.minuteWaitMs(), 1);
    clock.advance(1);
    assert.equal(openAll(), 1);
    assert.equal(route.minuteWaitMs(), 10_000);
  });

  it('is perDay on each day of UTC', () => {
    const { route, clock, openAll } = volumeOf({ perDay: 100 });
    assert.equal(openAll(), 100);
    assert.equal(route.dayWaitMs(), dayMs / 2);
    clock.advance(dayMs / 2 - 1);
    assert.equal(openAll(), 0);
    clock.advance(1);
    assert.equal(openAll(), 100);
  });

  it('does not begin anew because the wall clock is set back', () => {
    const { wall, openAll } = volumeOf({ perDay: 100 });
    assert.equal(openAll(), 100);
    wall.shift = -dayMs;
    assert.equal(openAll(), 0);
  });

  it('warms up from the first use, doubling until it meets perDay', () => {
    const { clock, openAll } = volumeOf({ perDay: 3_000, warmUp: { startPerDay: 500, doubleEveryDays: 7 } });
    // Days on which nothing leaves do not warm a route that was never used.
    clock.advance(30 * dayMs);
    const days = Array.from({ length: 29 }, () => {
      const opened = openAll();
      clock.advance(dayMs);
      return opened;
    });
    const weeks = [500, 1_000, 2_000, 3_000, 3_000].flatMap((perDay) => Array<number>(7).fill(perDay));
    assert.deepEqual(days, weeks.slice(0, 29));
  });

  it('remembers day and first use over a restart', () => {
    const settings = { warmUp: { startPerDay: 10, doubleEveryDays: 1 } };
    const before = volumeOf(settings);
    assert.equal(before.openAll(), 10);
    before.clock.advance(2 * dayMs);
    for (let count = 0; count < 15; count += 1) before.route.opened();
    const kept: unknown = JSON.parse(JSON.stringify(before.route.state()));
    assert.deepEqual(kept, { day: 20_002, openedToday: 15, connectedToday: 0, firstUsedDay: 20_000 });
    const after = volumeOf(settings, before.route.state());
    after.clock.advance(2 * dayMs);
    assert.equal(after.openAll(), 25);
  });
});
