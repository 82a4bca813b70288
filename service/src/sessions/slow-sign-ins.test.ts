import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { createSignIns } from './slow-sign-ins.ts';

function setUp() {
  const time = createTestClock();
  const signIns = createSignIns({ clock: time });
  const fail = (client: string, times = 1) => {
    for (let n = 0; n < times; n += 1) assert.equal(signIns.begin(client).kind, 'try', `attempt ${n + 1}`);
  };
  const waits = (client: string) => {
    const attempt = signIns.begin(client);
    return attempt.kind === 'wait' ? attempt.seconds : 0;
  };
  return { time, signIns, fail, waits };
}

test('five wrong attempts in a row are free; after that each waits twice as long, up to a minute', () => {
  const { time, fail, waits } = setUp();
  fail('a', 5);
  const seen: number[] = [];
  for (let n = 0; n < 9; n += 1) {
    const seconds = waits('a');
    seen.push(seconds);
    time.advance(seconds * 1_000 - 1);
    assert.equal(waits('a'), 1, 'not a moment before');
    time.advance(1);
    fail('a');
  }
  assert.deepEqual(seen, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('trying too soon does not make it longer, and others are not slowed', () => {
  const { time, fail, waits } = setUp();
  fail('a', 5);
  for (let n = 0; n < 50; n += 1) assert.equal(waits('a'), 1);
  fail('b', 4);
  time.advance(1_000);
  fail('a');
});

test('attempts that are sent together are counted before the first has failed', () => {
  const { signIns } = setUp();
  const attempts = Array.from({ length: 100 }, () => signIns.begin('a').kind);
  assert.equal(attempts.filter((kind) => kind === 'try').length, 5);
});

test('the right key ends the row, and so does an hour of quiet', () => {
  const { time, signIns, fail, waits } = setUp();
  fail('a', 4);
  const right = signIns.begin('a');
  assert.ok(right.kind === 'try');
  right.succeeded();
  fail('a', 5);
  assert.equal(waits('a'), 1);
  time.advance(3_600_000);
  fail('a', 5);
  assert.equal(waits('a'), 1);
});

test('ten thousand clients are known, and the one who was quiet for longest is forgotten first', () => {
  const { time, fail, waits } = setUp();
  fail('first', 5);
  fail('second', 5);
  time.advance(1_000);
  fail('first');
  for (let n = 0; n < 9_998; n += 1) fail(`client ${n}`);
  fail('one more');
  assert.equal(waits('first'), 2);
  assert.equal(waits('second'), 0);
});
