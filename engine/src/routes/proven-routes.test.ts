import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { identityUnchecked } from '../identity/watch-identity.ts';
import { defaultLimits } from '../limits.ts';
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
