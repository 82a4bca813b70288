import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGroupSize } from './group-size.ts';

describe('the size of a transaction of requests', () => {
  it('halves while they take long, down to one, and doubles while they are short, up to the most', () => {
    const size = createGroupSize({ most: 128, longMs: 100 });
    const after = (tookMs: number) => {
      size.note(tookMs);
      return size.now();
    };
    assert.equal(size.now(), 128);
    assert.deepEqual([after(101), after(500)], [64, 32]);
    assert.deepEqual([after(80), after(49), after(1)], [32, 64, 128]);
    assert.equal(after(1), 128);
    for (let round = 0; round < 10; round += 1) size.note(1_000);
    assert.equal(size.now(), 1);
    assert.equal(after(1), 2);
  });

  it('can shrink to half of what would have been done in time, and keep a least', () => {
    const size = createGroupSize({ most: 400, longMs: 20, first: 200, least: 20, shrinksToFit: true });
    const after = (tookMs: number) => {
      size.note(tookMs);
      return size.now();
    };
    assert.deepEqual([after(80), after(20), after(10), after(40)], [25, 25, 50, 20]);
    assert.equal(after(1_000), 20);
  });

  it('on a machine that is slow with everything, a few still share a transaction after an outage', () => {
    const size = createGroupSize({ most: 128, longMs: 100, few: { operations: 16, longMs: 300 } });
    for (let n = 0; n < 10; n += 1) size.note(600, 1);
    assert.equal(size.now(), 1);
    for (let n = 0; n < 10; n += 1) size.note(110, size.now());
    assert.ok(size.now() >= 16 && size.now() <= 32, `${size.now()} at once`);
    // If it is their number that takes long, they become fewer.
    for (let n = 0; n < 10; n += 1) size.note(25 * size.now(), size.now());
    assert.ok(size.now() <= 12, `${size.now()} at once`);
  });
});
