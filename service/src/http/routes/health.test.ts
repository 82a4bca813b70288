import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../../db/store-unavailable-error.ts';
import { createReadiness } from './health.ts';

const engine: Parameters<typeof createReadiness>[0]['engine'] = {
  health: () => ({
    resting: [],
    routes: [],
    mailPort: { kind: 'open' },
    resolver: { kind: 'in_order' },
    doubtedProviders: [],
    conversations: { waiting: 0, open: 0 },
  }),
};

const upkeep = { checking: (): string[] => [], problems: (): string[] => [] };

test('is ready while the store is being looked at, and says what still is', async () => {
  const checking = ['ledger: 5 of 10 new entries audited'];
  const found: string[] = [];
  let now = 0;
  const readiness = createReadiness({
    store: { check: () => Promise.resolve() },
    engine,
    clock: { now: () => now },
    wallClock: { now: () => 0 },
    egress: { problem: () => undefined },
    upkeep: { checking: () => checking, problems: () => found },
  });
  assert.deepEqual(await readiness(), { ready: true, checking });
  now = 1_000;
  found.push('the file is damaged');
  assert.deepEqual(await readiness(), { ready: false, problems: found });
});

test('says what is wrong with the store, asks it once a second at most, and recovers', async () => {
  let now = 0;
  let asked = 0;
  let fault: Error | undefined = new StoreUnavailableError('full');
  const readiness = createReadiness({
    store: {
      check: () => {
        asked += 1;
        return fault === undefined ? Promise.resolve() : Promise.reject(fault);
      },
    },
    engine,
    egress: { problem: () => undefined },
    clock: { now: () => now },
    wallClock: { now: () => 0 },
    upkeep,
  });
  const problems = ['the store is unavailable: the disk is full'];
  assert.deepEqual(await readiness(), { ready: false, problems });
  fault = undefined;
  now = 999;
  assert.deepEqual(await readiness(), { ready: false, problems });
  assert.equal(asked, 1);
  now = 1_000;
  assert.deepEqual(await readiness(), { ready: true });
});

test('is not ready while the resolver denies what exists, and says what to do', async () => {
  const line = 'the resolver denies what is known to exist (example.com)';
  const readiness = createReadiness({
    store: { check: () => Promise.resolve() },
    engine: { health: () => ({ ...engine.health(), resolver: { kind: 'denies', line } }) },
    egress: { problem: () => undefined },
    clock: { now: () => 0 },
    wallClock: { now: () => 0 },
    upkeep,
  });
  const found = await readiness();
  assert.ok(!found.ready);
  assert.match(found.problems.join('\n'), /^the resolver denies .*; set MAILPROOF_DNS_SERVERS .*$/);
});

test('is not ready while no prober can ask, and says which and why', async () => {
  const problem = 'no prober can ask mail hosts: default (mail port blocked)';
  const readiness = createReadiness({
    store: { check: () => Promise.resolve() },
    engine,
    egress: { problem: () => problem },
    upkeep,
    clock: { now: () => 0 },
    wallClock: { now: () => 0 },
  });
  assert.deepEqual(await readiness(), { ready: false, problems: [problem] });
});
