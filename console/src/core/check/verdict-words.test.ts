import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignals, signalIcon, verdictWhy } from './verdict-words.ts';

test('the headline says why, and when asking again may help', () => {
  const greylisted = { reason: 'greylisted', retry: { advised: true, after_seconds: 300 } };
  assert.equal(verdictWhy(greylisted), 'Greylisted. Try again in 5 minutes.');
  assert.equal(
    verdictWhy({ ...greylisted, retry: { advised: true, after_seconds: 3_600 } }),
    'Greylisted. Try again in 1 hour.',
  );
  assert.equal(
    verdictWhy({ reason: 'mx_unreachable', retry: { advised: true } }),
    'MX unreachable. Try again later.',
  );
  assert.equal(verdictWhy({ reason: 'user_unknown', retry: { advised: false } }), 'User unknown');
  assert.equal(
    verdictWhy({ reason: 'listed_by_blocklist', retry: { advised: true, after_seconds: 86_400 } }),
    'Their server blocks our IP address. Try again in 24 hours.',
  );
  assert.equal(
    verdictWhy({ reason: 'disposable_listed', retry: { advised: false } }),
    'Known disposable provider',
  );
});

test('a signal that is absent was not looked at; no is only said where it is known', () => {
  const signals = readSignals({
    email: 'ada@example.com',
    status: 'catch_all',
    is_catch_all: true,
    is_deliverable: true,
    is_disposable: false,
    is_role_account: true,
    verification_mode: 'power',
  });
  const of = (name: string) => signals.find((signal) => signal.name === name);
  assert.deepEqual(of('Accepts every address'), {
    name: 'Accepts every address',
    answer: 'yes',
    tone: 'bad',
  });
  assert.deepEqual(of('Mailbox accepts mail'), { name: 'Mailbox accepts mail', answer: 'yes', tone: 'good' });
  assert.deepEqual(of('Disposable'), { name: 'Disposable', answer: 'no', tone: 'good' });
  assert.deepEqual(of('Role account'), { name: 'Role account', answer: 'yes', tone: 'neutral' });
  assert.deepEqual(of('Mailbox full'), { name: 'Mailbox full', answer: 'not_known', tone: 'neutral' });
});

test('a mark agrees with the words beside it: a check stands before a yes alone', () => {
  assert.equal(signalIcon({ answer: 'yes', tone: 'good' }), 'safe');
  assert.equal(signalIcon({ answer: 'no', tone: 'good' }), 'rejected');
  assert.equal(signalIcon({ answer: 'yes', tone: 'bad' }), 'warning');
  assert.equal(signalIcon({ answer: 'no', tone: 'bad' }), 'invalid');
  assert.equal(signalIcon({ answer: 'not_known', tone: 'neutral' }), 'unknown');
});
