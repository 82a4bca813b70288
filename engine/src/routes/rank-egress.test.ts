import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egressFor, rankEgress } from './rank-egress.ts';

const egress = ['a', 'b', 'c', 'd', 'office/default'];
const groups = Array.from({ length: 400 }, (_, n) => `group${n}.example`);
const mailboxes = Array.from({ length: 400 }, (_, n) => `person${n}@example.com`);
const firstOf = (request: Parameters<typeof egressFor>[0], among = egress) => egressFor(request, among)[0];

test('a group is always asked from the same address, whatever the order they are told in', () => {
  for (const group of groups)
    assert.deepEqual(rankEgress(group, egress), rankEgress(group, egress.toReversed()));
});

test('groups spread evenly over the addresses', () => {
  const counts = egress.map((id) => groups.filter((group) => rankEgress(group, egress)[0] === id).length);
  assert.ok(Math.min(...counts) > 50, counts.join(' '));
});

test('where an address goes only its own groups move', () => {
  for (const group of groups) {
    const [first, second] = rankEgress(group, egress);
    const left = egress.filter((id) => id !== 'c');
    assert.equal(rankEgress(group, left)[0], first === 'c' ? second : first);
  }
});

test('all mailboxes of a group have one address, unless it is spread', () => {
  const used = new Set(mailboxes.map((mailbox) => firstOf({ group: 'big.example', spread: 1, mailbox })));
  assert.equal(used.size, 1);
});

test('the mailboxes of a spread group have one each of the best, evenly, and move only with their own', () => {
  const best = rankEgress('big.example', egress);
  const of = (mailbox: string, among = egress) =>
    firstOf({ group: 'big.example', spread: 3, mailbox }, among);
  const counts = best.map((id) => mailboxes.filter((mailbox) => of(mailbox) === id).length);
  assert.deepEqual(counts.slice(3), [0, 0]);
  assert.ok(Math.min(...counts.slice(0, 3)) > 100, counts.join(' '));
  const left = egress.filter((id) => id !== best[1]);
  for (const mailbox of mailboxes) {
    const moved = of(mailbox, left) !== of(mailbox);
    // The fourth comes in beside the two that are left, and takes its share.
    if (moved) assert.ok(of(mailbox) === best[1] || of(mailbox, left) === best[3]);
  }
});
