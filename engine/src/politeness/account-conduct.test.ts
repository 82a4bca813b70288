import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createAccountConduct } from './account-conduct.ts';
import { defaultPoliteness, unpaced } from './default-politeness.ts';
import type { HostPolicy } from './policy.ts';

const policyOf = (group: string, politeness = defaultPoliteness): HostPolicy => ({
  group,
  asking: 'probe',
  politeness,
  routes: undefined,
  spread: 1,
});
const google = policyOf('google');
const minuteMs = 60_000;

function setUp() {
  const clock = createTestClock();
  const conduct = createAccountConduct(clock, 100);
  /** Fifty mailboxes of an account, so many of them unknown. */
  const note = (account: string, unknown: number, { policy = google, all = 50 } = {}): void => {
    const said = (index: number) => (index < unknown ? 'unknown' : 'other');
    const findings = Array.from({ length: all }, (_, index) => ({
      account,
      domain: 'example.com',
      said: said(index),
    })) as Parameters<typeof conduct.note>[0];
    conduct.note(findings, policy);
  };
  /** How many it may ask for at this moment. */
  const asksAtOnce = (account: string, policy = google): number => {
    for (let asked = 0; asked < 1_000; asked += 1) {
      if (conduct.mayAskFrom(account, policy) > clock.now()) return asked;
      conduct.asks(account, policy);
    }
    return Infinity;
  };
  return { clock, conduct, note, asksAtOnce };
}

describe('an account that asks for mailboxes that do not exist', () => {
  for (const [unknown, perMinute] of [
    [15, Infinity],
    [16, 30],
    [30, 30],
    [31, 10],
    [50, 10],
  ] as const) {
    test(`${unknown} of the last fifty: ${perMinute} a minute`, () => {
      const { clock, note, asksAtOnce } = setUp();
      note('one', unknown);
      assert.equal(asksAtOnce('one'), perMinute);
      clock.advance(minuteMs - 1);
      assert.equal(asksAtOnce('one'), perMinute === Infinity ? Infinity : 0);
      clock.advance(1);
      assert.equal(asksAtOnce('one'), perMinute);
    });
  }
  test('is not judged by fewer than fifty', () => {
    const { note, asksAtOnce } = setUp();
    note('one', 49, { all: 49 });
    assert.equal(asksAtOnce('one'), Infinity);
  });
  test('slows down nobody else, and nobody elsewhere', () => {
    const { note, asksAtOnce } = setUp();
    note('one', 50);
    assert.equal(asksAtOnce('two'), Infinity);
    assert.equal(asksAtOnce('one', policyOf('microsoft')), Infinity);
  });
  test('is asked for as before once its mailboxes exist', () => {
    const { note, asksAtOnce } = setUp();
    note('one', 50);
    note('one', 0);
    assert.equal(asksAtOnce('one'), Infinity);
  });
  test('is forgotten an hour after it last asked', () => {
    const { clock, note, asksAtOnce } = setUp();
    note('one', 50);
    clock.advance(60 * minuteMs);
    assert.equal(asksAtOnce('one'), Infinity);
  });
  test('may ask again for what it was not asked about after all', () => {
    const { conduct, note, asksAtOnce } = setUp();
    note('one', 50);
    asksAtOnce('one');
    conduct.didNotAsk('one', google);
    assert.equal(asksAtOnce('one'), 1);
  });
  test('is not counted where pacing is off', () => {
    const { conduct, note, asksAtOnce } = setUp();
    const off = policyOf('google', unpaced(defaultPoliteness));
    note('one', 50, { policy: off });
    conduct.slowDown('one', off, minuteMs);
    assert.equal(asksAtOnce('one', off), Infinity);
    assert.equal(asksAtOnce('one'), Infinity);
  });
});

test('an account that alone is complained about is slowed down for as long as is said', () => {
  const { clock, conduct, asksAtOnce } = setUp();
  conduct.slowDown('one', google, 90 * minuteMs);
  assert.equal(asksAtOnce('one'), 10);
  clock.advance(90 * minuteMs);
  assert.equal(asksAtOnce('one'), Infinity);
});
