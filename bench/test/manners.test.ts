import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { checksOf, type Check } from '../src/manners/checks.ts';
import { describeLists } from '../src/manners/lists.ts';
import { simulateDay } from '../src/manners/simulate-day.ts';

/** The quick day of `npm run bench -- manners`: all of its promises, with a tenth of the addresses. */
const promises = [
  'connections of an address',
  'connections a minute to each group, as configured',
  'recipients and refusals in a conversation, as configured',
  'unknown recipients of a provider and address within the brake',
  'every address is answered within the day, unless its host refuses ours',
  'the dirty account waits longest',
  'a listed address closes within 5 further connections of the confirmation',
  'the other address goes on meanwhile',
  'it opens within an hour of its removal from the list',
  'liars never close an address',
  'a provider that bans an address is not asked from it for a day, nor from another instead; told',
  'the other address and other hosts go on beside the ban',
];

describe('on a simulated day', { timeout: 600_000 }, () => {
  let checks: Check[] = [];
  before(async () => {
    checks = checksOf(await simulateDay(describeLists({ quick: true })));
  });

  for (const [index, promise] of promises.entries())
    test(promise, () => {
      const check = checks[index];
      assert.equal(check?.promise.slice(0, promise.length), promise);
      assert.ok(check.isMet, check.found);
    });

  test('nothing else is promised', () => assert.equal(checks.length, promises.length));
});
