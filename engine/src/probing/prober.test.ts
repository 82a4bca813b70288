import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import type { MemoryNamespace } from '../memory.ts';
import { createHostReach } from './prober.ts';

const day = 86_400_000;
const host = 'mx1.list.test';

function setUp(memory?: MemoryNamespace) {
  const clock = createTestClock();
  const { wallClock } = clock;
  const kept = memory === undefined ? {} : { memory };
  return { clock, reach: createHostReach({ clock, wallClock, limits: defaultLimits, ...kept }) };
}

test('a host is gone if it could not be reached for a day, however often it was tried', () => {
  const { clock, reach } = setUp();
  assert.equal(reach.isGone(host), false);
  reach.note(host, 'not_connected');
  clock.advance(day - 1);
  reach.note(host, 'not_connected');
  assert.equal(reach.isGone(host), false);
  clock.advance(1);
  assert.equal(reach.isGone(host), true);
});

test('a host that was reached in between is not gone, whatever it said', () => {
  for (const visit of ['answered', 'no_answer'] as const) {
    const { clock, reach } = setUp();
    reach.note(host, 'not_connected');
    clock.advance(day / 2);
    reach.note(host, visit);
    reach.note(host, 'not_connected');
    clock.advance(day / 2);
    assert.equal(reach.isGone(host), false, visit);
  }
});

test('a rest, and an address that is not ours, say nothing', () => {
  const { clock, reach } = setUp();
  reach.note(host, 'not_connected');
  clock.advance(day);
  for (const visit of ['resting', 'not_ours'] as const) reach.note(host, visit);
  assert.equal(reach.isGone(host), true);
});

test('the day is remembered over a restart, and the earlier of two engines counts', () => {
  let hear: Parameters<MemoryNamespace['follow']>[0] = () => undefined;
  const { clock, reach } = setUp({ follow: (take) => void (hear = take), learn: () => undefined });
  reach.note(host, 'not_connected');
  hear({ key: host, value: { since: clock.wallClock.now() - day }, lifeMs: day });
  assert.equal(reach.isGone(host), true);
  hear({ key: host, value: null, lifeMs: 0 });
  assert.equal(reach.isGone(host), false);
});
