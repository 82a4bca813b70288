import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createAccountConduct } from './account-conduct.ts';
import { defaultPoliteness, unpaced } from './built-in-policies.ts';
import type { HostPolicy } from './policy.ts';
import type { SessionOutcome } from './session-outcome.ts';

const policyOf = (group: string, politeness = defaultPoliteness): HostPolicy => ({
  group,
  asking: 'probe',
  politeness,
  routes: undefined,
  spread: 1,
  brakes: false,
  countsUnknown: false,
});
const google = policyOf('google');
const minuteMs = 60_000;
const egress = 'default';

function setUp() {
  const clock = createTestClock();
  const conduct = createAccountConduct(clock, 100);
  /** Notes fifty mailboxes of an account, `unknown` of them unknown. */
  const note = (account: string, unknown: number, { policy = google, all = 50 } = {}): void => {
    const said = (index: number) => (index < unknown ? 'unknown' : 'other');
    const findings = Array.from({ length: all }, (_, index) => ({
      account,
      domain: 'example.com',
      said: said(index),
    })) as SessionOutcome['mailboxes'];
    conduct.note({ mailboxes: findings, madeUp: [] }, { policy, egress });
  };
  /** Returns how many it may ask for at this moment. */
  const asksAtOnce = (account: string, policy = google): number => {
    for (let asked = 0; asked < 1_000; asked += 1) {
      if (conduct.mayAskFrom(account, policy) > clock.now()) return asked;
      conduct.asks(account, { policy, egress });
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
  test('slows down no other account, and no other group', () => {
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
    conduct.didNotAsk('one', { policy: google, egress });
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

describe('the brake of a provider and an egress address', () => {
  const braked: HostPolicy = { ...google, brakes: true, countsUnknown: true };
  const at = { policy: braked, egress };

  function setUpBrake() {
    const clock = createTestClock();
    const conduct = createAccountConduct(clock, 100);
    type Said = 'unknown' | 'other';
    const told = (account: string, said: Said) => ({ account, domain: 'example.com', said });
    /** Asks as fast as the account may for a time; every n-th mailbox is unknown. Answers come at once. */
    const ask = (
      account: string,
      isUnknown: (asked: number) => boolean,
      { minutes = 1, perSecond = 5 } = {},
    ) => {
      const forMs = minutes * minuteMs;
      const heard = { asked: 0, unknown: 0 };
      for (let ms = 0; ms < forMs; ms += 1_000 / perSecond) {
        clock.advance(1_000 / perSecond);
        if (conduct.mayAskFrom(account, braked, egress) > clock.now()) continue;
        conduct.asks(account, at);
        heard.asked += 1;
        const said = isUnknown(heard.asked) ? 'unknown' : 'other';
        if (said === 'unknown') heard.unknown += 1;
        conduct.note({ mailboxes: [told(account, said)], madeUp: [] }, at);
      }
      return heard;
    };
    return { clock, conduct, told, ask };
  }
  const fifth = (asked: number): boolean => asked % 5 === 0;
  const never = (): boolean => false;

  test('an account with a fifth of unknown mailboxes is held to twenty a minute and a tenth of the others', () => {
    const { ask } = setUpBrake();
    const { asked, unknown } = ask('one', fifth, { minutes: 10 });
    const allowed = 20 + 10 * 20 + (asked - unknown) / 9 + 10;
    assert.ok(unknown <= allowed, `${unknown} unknown of ${asked}, ${allowed} allowed`);
    assert.ok(asked < 2_000, 'it asks for fewer than the 3,000 that it would without a brake');
    assert.ok(asked > 1_000, 'and does not stand still');
  });
  test('an account without unknown mailboxes is not slowed, however dirty another is', () => {
    const { ask, conduct, clock } = setUpBrake();
    ask('clean', never);
    ask('dirty', fifth, { perSecond: 20 });
    assert.ok(conduct.mayAskFrom('dirty', braked, egress) > clock.now(), 'the dirty one waits');
    assert.equal(ask('clean', never).asked, 300);
  });
  test('an account that is new there asks for ten before it has to wait for others', () => {
    const { ask, conduct } = setUpBrake();
    ask('dirty', fifth, { perSecond: 20 });
    assert.ok(conduct.mayAskFrom('new', braked, egress) === -Infinity);
    for (let asked = 0; asked < 10; asked += 1) conduct.asks('new', at);
    assert.ok(conduct.mayAskFrom('new', braked, egress) === -Infinity);
    conduct.asks('new', at);
    assert.ok(conduct.mayAskFrom('new', braked, egress) > -Infinity);
  });
  test('made-up recipients count for the account that they are named for', () => {
    const { conduct, told, clock } = setUpBrake();
    for (let asked = 0; asked < 60; asked += 1) {
      conduct.asks('one', at);
      conduct.note({ mailboxes: [told('one', 'other')], madeUp: [told('one', 'unknown')] }, at);
    }
    assert.ok(conduct.mayAskFrom('one', braked, egress) > clock.now());
  });
  test('recipients that are on their way are paid for, and paid back if they exist or were not named', () => {
    const { conduct, told, clock, ask } = setUpBrake();
    ask('one', fifth);
    clock.advance(10 * minuteMs);
    const atOnce = (): number => {
      for (let asked = 0; ; asked += 1) {
        if (conduct.mayAskFrom('one', braked, egress) > clock.now()) return asked;
        conduct.asks('one', at);
      }
    };
    assert.equal(atOnce(), 20);
    conduct.didNotAsk('one', at);
    assert.equal(atOnce(), 1);
    conduct.note({ mailboxes: [told('one', 'other')], madeUp: [] }, at);
    assert.equal(atOnce(), 1);
    conduct.note({ mailboxes: [told('one', 'unknown')], madeUp: [] }, at);
    assert.equal(atOnce(), 0);
  });
  test('each egress address has its own', () => {
    const { ask, conduct, clock } = setUpBrake();
    ask('dirty', fifth, { perSecond: 20 });
    assert.ok(conduct.mayAskFrom('dirty', braked, egress) > clock.now());
    assert.ok(conduct.mayAskFrom('dirty', braked, 'other') <= clock.now());
  });
});
