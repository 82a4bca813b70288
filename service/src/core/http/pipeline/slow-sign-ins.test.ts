import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../../../engine/test/support/test-clock.ts';
import { createSignIns, type SignInCredential } from './slow-sign-ins.ts';

function setUp() {
  const time = createTestClock();
  const signIns = createSignIns({ clock: time });
  const fail = (client: string, times = 1, credential: SignInCredential = 'key') => {
    for (let n = 0; n < times; n += 1)
      assert.equal(signIns.begin(client, credential).kind, 'try', `attempt ${n + 1}`);
  };
  const waits = (client: string, credential: SignInCredential = 'key') => {
    const attempt = signIns.begin(client, credential);
    return attempt.kind === 'wait' ? attempt.seconds : 0;
  };
  const succeed = (client: string, credential: SignInCredential = 'key') => {
    const attempt = signIns.begin(client, credential);
    assert.ok(attempt.kind === 'try');
    attempt.succeeded();
  };
  return { time, signIns, fail, waits, succeed };
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
  const attempts = Array.from({ length: 100 }, () => signIns.begin('a', 'key').kind);
  assert.equal(attempts.filter((kind) => kind === 'try').length, 5);
});

test('the right key ends the row, and so does an hour of quiet', () => {
  const { time, fail, waits, succeed } = setUp();
  fail('a', 4);
  succeed('a');
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

test('the right key forgives its own failures and no others: with a key of their own nobody goes on guessing', () => {
  const { fail, waits, succeed } = setUp();
  fail('a', 4, 'key theirs');
  succeed('a', 'key own');
  fail('a', 1, 'key theirs');
  assert.equal(waits('a', 'key theirs'), 1);
  assert.equal(waits('a', 'key own'), 1, 'keys are of one kind');
});

test('credentials of different kinds count apart, and success of one never forgives another', () => {
  const kinds = ['token', 'metrics', 'provider', 'key', 'enrolment one'] as const;
  for (const kind of kinds) {
    const { fail, waits, succeed } = setUp();
    fail('a', 5, kind);
    for (const other of kinds) if (other !== kind) succeed('a', other);
    assert.equal(waits('a', kind), 1, kind);
  }
});

test('a prober that repeats its enrolment forgives no wrong token, and never keeps the right one out', () => {
  const { time, fail, waits, succeed } = setUp();
  fail('a', 5, 'token');
  for (let n = 0; n < 200; n += 1) succeed('a', 'enrolment own');
  assert.equal(waits('a', 'token'), 1);
  time.advance(1_000);
  succeed('a', 'token');
  fail('b', 5, 'enrolment wrong');
  assert.equal(waits('b', 'enrolment own'), 1, 'nor does it forgive wrong tokens of its own kind');
  succeed('b', 'token');
});

test('the right token ends the row of wrong ones', () => {
  const { time, fail, waits, succeed } = setUp();
  fail('a', 4, 'token');
  succeed('a', 'token');
  fail('a', 5, 'token');
  assert.equal(waits('a', 'token'), 1);
  time.advance(1_000);
  succeed('a', 'token');
  fail('a', 5, 'token');
});

test('a hundred wrong tokens a minute, from however many clients; then all wait, but for who had the right one', () => {
  const { time, fail, waits, succeed } = setUp();
  succeed('operator', 'token');
  time.advance(10_000);
  for (let n = 0; n < 99; n += 1) fail(`client ${n}`, 1, 'token');
  succeed('another operator', 'token');
  fail('client 99', 1, 'token');
  assert.equal(waits('newcomer', 'token'), 50);
  assert.equal(waits('newcomer', 'key'), 0, 'keys are no tokens');
  succeed('operator', 'token');
  succeed('another operator', 'token');
  time.advance(50_000);
  succeed('client 99', 'token');
});
