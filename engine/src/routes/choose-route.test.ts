import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { identityUnchecked } from '../identity/watch-identity.ts';
import { defaultLimits } from '../limits.ts';
import { egressFor, rankEgress } from './choose-route.ts';
import type { RouteDialer } from './create-route-dialer.ts';
import { createRoutes, type Routes } from './create-routes.ts';

const noDialer: RouteDialer = {
  counts: { dialled: 0, forbidden: 0, breaches: 0 },
  dial: () => Promise.resolve({ kind: 'failed', why: 'timeout' }),
};

function chosen(routes: Routes, { group = 'google' } = {}): string {
  const choice = routes.choose({ group, address: '192.0.2.1', allowed: undefined });
  return choice.kind === 'route' ? choice.route.id : choice.why;
}

describe('a public mail host', () => {
  const standing = { amsterdam: 'unproven', bergen: 'proven', cork: 'unproven' } as Record<
    string,
    'proven' | 'checking' | 'unproven'
  >;
  const watched = (isPublic: boolean) =>
    createRoutes({
      settings: ['amsterdam', 'bergen', 'cork'].map((id) => ({ id, kind: 'direct' })),
      defaults: { heloName: 'probe.example', mailFrom: 'verify@probe.example' },
      clock: createTestClock(),
      wallClock: Date,
      limits: defaultLimits,
      heedsBlocks: true,
      dialerFor: () => noDialer,
      onProblem: () => undefined,
      identity: {
        ...identityUnchecked,
        areAllProven: () => false,
        of: (route) => standing[route] ?? 'unproven',
      },
      isPublic: () => isPublic,
    });

  it('is asked only on a route whose HELO name and sender are proven', () => {
    for (const group of ['google', 'outlook', 'yahoo', 'zoho'])
      assert.equal(chosen(watched(true), { group }), 'bergen');
    standing['bergen'] = 'checking';
    assert.equal(chosen(watched(true)), 'identity_checking');
    standing['bergen'] = 'unproven';
    assert.equal(chosen(watched(true)), 'identity_unproven');
  });

  it('is free of that in a block that the operator opened', () => {
    const groups = Array.from({ length: 40 }, (_, index) => `group${index}`);
    const used = new Set(groups.map((group) => chosen(watched(false), { group })));
    assert.deepEqual([...used].sort(), ['amsterdam', 'bergen', 'cork']);
  });
});

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

test('if an address goes only its own groups move', () => {
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
