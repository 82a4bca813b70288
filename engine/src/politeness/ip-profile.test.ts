import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import type { Asker } from '../fair-queue.ts';
import { createEgressPace, ipProfiles, type EgressPace, type IpProfile } from './ip-profile.ts';

const bulk = (account: string): Asker => ({ urgency: 'bulk', account });
const single = (account: string): Asker => ({ urgency: 'single', account });

function setUp(profile: IpProfile) {
  const clock = createTestClock();
  const pace = createEgressPace(ipProfiles[profile], clock);
  return { clock, pace };
}

/** A mail host at which an account wants one connection; `opened` gets its name when it is made. */
function want(name: string, asker: Asker, { pace, opened }: { pace: EgressPace; opened: string[] }): void {
  const dispatch = (): void => {
    if (!pace.mayOpen('default', { asker, whenFree: dispatch })) return;
    pace.opened('default');
    opened.push(name);
  };
  dispatch();
}

for (const [profile, atOnce, afterTenSeconds] of [
  ['new', 5, 55],
  ['established', 200, 700],
  ['private', 1_000, 1_000],
] as const)
  test(`${profile}: ${atOnce} connections at once, ${afterTenSeconds} within ten seconds`, () => {
    const { clock, pace } = setUp(profile);
    const opened: string[] = [];
    for (let host = 0; host < 1_000; host += 1) want(`${host}`, bulk('one'), { pace, opened });
    assert.equal(opened.length, atOnce);
    for (let ms = 0; ms < 10_000; ms += 10) clock.advance(10);
    assert.equal(opened.length, afterTenSeconds);
  });

test('no second of any account holds more than the rate once the burst is spent', () => {
  const { clock, pace } = setUp('established');
  const opened: string[] = [];
  for (let host = 0; host < 2_000; host += 1) want(`${host}`, bulk(`account ${host % 3}`), { pace, opened });
  for (let second = 0; second < 20; second += 1) {
    const before = opened.length;
    for (let ms = 0; ms < 1_000; ms += 5) clock.advance(5);
    assert.ok(opened.length - before <= 51, `${opened.length - before} in a second`);
  }
});

test('single verifications go first, and the accounts of lists in turn: a long list waits for itself', () => {
  const { clock, pace } = setUp('new');
  const opened: string[] = [];
  for (let host = 0; host < 500; host += 1) want(`long ${host}`, bulk('long'), { pace, opened });
  want('short', bulk('short'), { pace, opened });
  want('single', single('third'), { pace, opened });
  opened.length = 0;
  clock.advance(200);
  clock.advance(200);
  clock.advance(200);
  assert.equal(opened[0], 'single');
  assert.ok(opened.includes('short'), opened.join());
});

test('each egress address has its own rate', () => {
  const { pace } = setUp('new');
  for (let host = 0; host < 5; host += 1) {
    assert.ok(pace.mayOpen('default', { asker: bulk('one'), whenFree: () => undefined }));
    pace.opened('default');
  }
  assert.ok(!pace.mayOpen('default', { asker: bulk('one'), whenFree: () => undefined }));
  assert.ok(pace.mayOpen('other', { asker: bulk('one'), whenFree: () => undefined }));
});

test('an address that another process had until now has no burst', () => {
  const { clock, pace } = setUp('established');
  pace.takeOver('default');
  const opened: string[] = [];
  for (let host = 0; host < 500; host += 1) want(`${host}`, bulk('one'), { pace, opened });
  assert.equal(opened.length, 0);
  for (let ms = 0; ms < 1_000; ms += 10) clock.advance(10);
  assert.equal(opened.length, 50);
});

test('a host that cannot use its turn leaves it to the next', () => {
  const { clock, pace } = setUp('new');
  const opened: string[] = [];
  for (let host = 0; host < 5; host += 1) want(`${host}`, bulk('one'), { pace, opened });
  let calls = 0;
  pace.mayOpen('default', { asker: bulk('one'), whenFree: () => void (calls += 1) });
  want('next', bulk('one'), { pace, opened });
  clock.advance(200);
  assert.equal(calls, 1);
  assert.equal(opened.at(-1), 'next');
});
