import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createWallClock } from './wall-clock.ts';

it('a system clock that jumps a day either way does not make the store’s time jump', () => {
  let wall = 1_000_000_000;
  let elapsed = 500;
  const clock = createWallClock({ monotonic: { now: () => elapsed }, wall: { now: () => wall } });
  assert.equal(clock.now(), 1_000_000_000);
  elapsed += 40;
  wall += 40;
  assert.equal(clock.now(), 1_000_000_040);
  for (const jump of [86_400_000, -86_400_000]) {
    wall += jump;
    assert.equal(clock.now(), 1_000_000_040);
  }
});

/** A clock that was a day wrong at the start, and is set right a minute later. */
function setRight(day: number) {
  let wall = 1_000_000_000;
  let elapsed = 0;
  const clock = createWallClock({ monotonic: { now: () => elapsed }, wall: { now: () => wall } });
  const pass = (ms: number) => {
    elapsed += ms;
    wall += ms;
    return clock.now();
  };
  const wrongBy = () => clock.now() - wall;
  pass(60_000);
  wall += day;
  return { pass, wrongBy };
}

it('a system clock that is set forward is caught up with, at no more than twice the speed', () => {
  const { pass, wrongBy } = setRight(86_400_000);
  const before = pass(0);
  assert.equal(pass(30_000) - before, 60_000, 'a lease lasts half its time at least');
  for (let minutes = 0; minutes < 1_440; minutes += 1) pass(60_000);
  assert.equal(wrongBy(), 0);
});

it('one that is set back is waited for, at half the speed, and time never goes back', () => {
  const { pass, wrongBy } = setRight(-86_400_000);
  let before = pass(0);
  for (let minutes = 0; minutes < 2 * 1_440; minutes += 1) {
    const now = pass(60_000);
    assert.ok(now - before >= 30_000, 'a dead worker is noticed all the same');
    before = now;
  }
  assert.equal(wrongBy(), 0);
});
