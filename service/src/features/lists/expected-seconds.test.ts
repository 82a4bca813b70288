import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipProfiles } from '@mailproof/engine';
import { expectedSeconds, type SendingRate } from './expected-seconds.ts';

const rateOf = (profile: keyof typeof ipProfiles, stated: Partial<SendingRate> = {}): SendingRate => ({
  pace: ipProfiles[profile],
  egressAddresses: 1,
  leftToday: Infinity,
  perDay: Infinity,
  ...stated,
});
/** So many domains with so many mailboxes each. */
const domains = (count: number, each: number): Map<string, number> =>
  new Map(Array.from({ length: count }, (_, n) => [`domain${n}.example`, each]));

test('an empty list takes no time', () => {
  assert.equal(expectedSeconds(new Map(), rateOf('established')), 0);
});
test('ten thousand domains: fifty conversations a second after the burst, five for a new address', () => {
  assert.equal(expectedSeconds(domains(10_000, 1), rateOf('established')), 5 + 9_800 / 50);
  assert.equal(expectedSeconds(domains(10_000, 1), rateOf('new')), 5 + 9_995 / 5);
  assert.equal(expectedSeconds(domains(10_000, 1), rateOf('private')), 5);
});
test('two egress addresses take half the time', () => {
  assert.equal(
    expectedSeconds(domains(10_000, 1), rateOf('established', { egressAddresses: 2 })),
    5 + 9_600 / 100,
  );
});
test('one large provider: thirty conversations a minute, over all of its own domains', () => {
  const mailboxes = new Map([
    ['gmail.com', 4_500],
    ['googlemail.com', 4_500],
  ]);
  assert.equal(expectedSeconds(mailboxes, rateOf('private')), 5 + 999 * 2);
});
test('what does not fit into the days of a warm-up waits for the next ones', () => {
  const rate = rateOf('new', { leftToday: 100, perDay: 500 });
  assert.equal(expectedSeconds(domains(1_000, 1), rate), 5 + 2 * 86_400);
});
