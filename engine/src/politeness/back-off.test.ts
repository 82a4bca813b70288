import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyReply } from '../replies/classifier/classify-reply.ts';
import {
  restAfter,
  addAsker,
  addComplaint,
  blamedFor,
  type PastFailures,
  type Complaint,
  type RecentAsker,
} from './back-off.ts';
import type { SessionOutcome } from './session-outcome.ts';

const clean: SessionOutcome = {
  connected: true,
  fault: undefined,
  turnedAway: undefined,
  mailboxes: [{ account: 'one', domain: 'example.com', said: 'unknown' }],
  madeUp: [],
};
const quiet: PastFailures = { failures: 0, silences: 0, groupComplains: false };
const minute = 60_000;

function turnedAway(code: number, enhanced: string | undefined, text: string): SessionOutcome {
  const meaning = classifyReply({ code, enhanced, text, provider: undefined });
  return { ...clean, turnedAway: { reply: { code, enhanced, lines: [text] }, meaning } };
}
const restMinutes = (outcome: SessionOutcome, history: Partial<PastFailures>, group = 'example.com') => {
  const rest = restAfter(outcome, { ...quiet, ...history }, group);
  return rest && { scope: rest.scope, minutes: rest.restMs / minute, reason: rest.reason };
};

describe('how long a host is left alone', () => {
  test('after a conversation that went well: not at all', () => {
    assert.equal(restMinutes(clean, {}), undefined);
  });
  for (const [failures, minutes] of [
    [1, 5],
    [2, 10],
    [3, 20],
    [4, 40],
    [5, 60],
    [9, 60],
  ] as const) {
    test(`after being put off for the ${failures}. time: ${minutes} minutes, this address only`, () => {
      const rest = restMinutes(turnedAway(421, '4.3.2', 'try again later'), { failures });
      assert.deepEqual(rest, { scope: 'address', minutes, reason: 'host_defers' });
    });
  }
  test('after one lost connection: not at all; after two, 5 minutes, then 10', () => {
    const lost = { ...clean, connected: false };
    assert.equal(restMinutes(lost, { failures: 1 }), undefined);
    assert.deepEqual(restMinutes(lost, { failures: 2 }), {
      scope: 'address',
      minutes: 5,
      reason: 'host_unreachable',
    });
    assert.equal(restMinutes(lost, { failures: 3 })?.minutes, 10);
  });
  test('after the third silence in a row: 15 minutes', () => {
    const silent: SessionOutcome = { ...clean, fault: 'timeout' };
    assert.equal(restMinutes(silent, { silences: 2 }), undefined);
    assert.deepEqual(restMinutes(silent, { silences: 3 }), {
      scope: 'address',
      minutes: 15,
      reason: 'host_silent',
    });
  });
  test('after a 5xx at the banner: not at all, for it says nothing of later', () => {
    assert.equal(restMinutes(turnedAway(554, undefined, 'No SMTP service here'), { failures: 1 }), undefined);
  });
});

describe('how long a whole provider is left alone', () => {
  test('Google after a 421 or 4.7.28: 10 minutes', () => {
    const rest = { scope: 'group', minutes: 10, reason: 'provider_throttles' };
    assert.deepEqual(restMinutes(turnedAway(421, '4.7.0', 'Try again later'), {}, 'google'), rest);
    assert.deepEqual(restMinutes(turnedAway(450, '4.7.28', 'unusual rate'), {}, 'google'), rest);
  });
  test('Yahoo after TSS04: two hours', () => {
    const rest = restMinutes(turnedAway(421, '4.7.0', '[TSS04] Messages temporarily deferred'), {}, 'yahoo');
    assert.deepEqual(rest, { scope: 'group', minutes: 120, reason: 'provider_throttles' });
  });
  test('after a doubt about our reputation: a minute, then one connection a minute for an hour and a half', () => {
    const rest = restAfter(
      turnedAway(550, '5.7.1', 'Blocked due to poor IP reputation'),
      quiet,
      'example.com',
    );
    assert.deepEqual(rest, {
      scope: 'group',
      reason: 'reputation_doubted',
      restMs: minute,
      slow: { perMinute: 1, forMs: 90 * minute },
    });
  });
  test('after enough complaints about us to mean all callers: an hour', () => {
    assert.deepEqual(restMinutes(clean, { groupComplains: true }), {
      scope: 'group',
      minutes: 60,
      reason: 'provider_refuses_us',
    });
  });
});

/** Complaints of one moment, written as `account domain`. */
function complaints(...written: string[]): Complaint[] {
  return written.map((one) => {
    const [account = '', domain = ''] = one.split(' ');
    return { at: 0, account, domain };
  });
}
const askedBy = (...accounts: string[]): RecentAsker[] => accounts.map((account) => ({ account, at: 0 }));
const four = ['one a.test', 'one b.test', 'one c.test', 'one d.test'];

describe("the culprit of a provider's complaints about us", () => {
  test('none before it has complained five times', () => {
    assert.deepEqual(blamedFor(complaints(...four), askedBy('one')), { kind: 'nobody' });
  });
  test('all callers, if the recipients were of several domains and accounts', () => {
    assert.deepEqual(blamedFor(complaints(...four, 'two e.test'), askedBy('one', 'two')), {
      kind: 'everybody',
    });
  });
  test('all callers, if only one account asks', () => {
    assert.deepEqual(blamedFor(complaints(...four, 'one e.test'), askedBy('one')), { kind: 'everybody' });
  });
  test('one account, if others ask there as well and meet no complaint', () => {
    assert.deepEqual(blamedFor(complaints(...four, 'one e.test'), askedBy('one', 'two')), {
      kind: 'account',
      account: 'one',
    });
  });
  test('one domain, if only its recipients bring complaints, whichever account asks', () => {
    const ofOne = complaints('one a.test', 'two a.test', 'one a.test', 'two a.test', 'three a.test');
    assert.deepEqual(blamedFor(ofOne, askedBy('one', 'two')), { kind: 'domain', domain: 'a.test' });
  });
});

test('complaints and askers of more than ten minutes ago do not count', () => {
  const [old] = complaints('one a.test');
  assert.ok(old);
  const recent = { ...old, at: 600_000 };
  assert.deepEqual(addComplaint([old], recent), [recent]);
  const asker = { account: 'two', at: 600_000 };
  assert.deepEqual(addAsker(askedBy('one'), asker), [asker]);
});
