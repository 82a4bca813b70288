import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createWallClock } from './wall-clock.ts';

it('a system clock that jumps a day either way does not move the store’s time', () => {
  let wall = 1_000_000_000;
  let elapsed = 500;
  const clock = createWallClock({ monotonic: { now: () => elapsed }, wall: { now: () => wall } });
  assert.equal(clock.now(), 1_000_000_000);
  elapsed += 40;
  for (const jump of [86_400_000, -86_400_000]) {
    wall += jump;
    assert.equal(clock.now(), 1_000_000_040);
  }
});
