import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { defaultLimits } from '../limits.ts';
import { createRoutes } from './create-routes.ts';
import { createRouteHealth } from './route-health.ts';

function setUp() {
  const lines: string[] = [];
  const health = createRouteHealth({
    clock: createTestClock(),
    limits: defaultLimits,
    tell: (line) => lines.push(line),
  });
  return { health, lines };
}

test('small hosts that read a block list do not rest a route, however many they are', () => {
  const { health, lines } = setUp();
  for (let host = 0; host < 500; host += 1) health.blocked(`small${host}.example`);
  assert.equal(health.restsUntil('other.example'), undefined);
  assert.deepEqual(lines, []);
});

test('two providers that block it five times do', () => {
  const { health, lines } = setUp();
  for (const provider of ['google', 'outlook', 'google', 'google']) health.blocked(provider);
  assert.equal(health.restsUntil('other.example'), undefined);
  health.blocked('google');
  assert.notEqual(health.restsUntil('other.example'), undefined);
  assert.equal(lines.length, 1);
});

test('if blocks are not heeded, no route is held back for them', () => {
  const clock = createTestClock();
  const lines: string[] = [];
  const routes = createRoutes({
    settings: [],
    defaults: { heloName: 'probe.example', mailFrom: 'verify@probe.example' },
    clock,
    wallClock: clock,
    limits: defaultLimits,
    heedsBlocks: false,
    dialerFor: () => ({
      counts: { dialled: 0, forbidden: 0, breaches: 0 },
      dial: () => Promise.resolve({ kind: 'failed', why: 'refused' }),
    }),
    onProblem: (line) => lines.push(line),
  });
  for (const group of ['google', 'outlook', 'google', 'google', 'google', 'google']) {
    routes.note('default', { kind: 'blocked', group });
  }
  assert.equal(routes.choose({ group: 'google', address: '192.0.2.1', allowed: undefined }).kind, 'route');
  assert.deepEqual(lines, []);
});
