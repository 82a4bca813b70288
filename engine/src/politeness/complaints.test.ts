import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addAsker, addComplaint, blamedFor, type Complaint, type RecentAsker } from './complaints.ts';

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
