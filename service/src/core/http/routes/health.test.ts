import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoreState } from '../../upkeep/store-watch.ts';
import { createReadiness } from './health.ts';

const engine: Parameters<typeof createReadiness>[0]['engine'] = {
  health: () => ({
    resting: [],
    closed: [],
    bans: [],
    routes: [],
    mailPort: { kind: 'open' },
    identity: [],
    resolver: { kind: 'in_order' },
    doubtedProviders: [],
    conversations: { waiting: 0, open: 0 },
  }),
};

const upkeep = { checking: (): string[] => [], problems: (): string[] => [] };
const available = { look: () => Promise.resolve<StoreState>({ kind: 'available' }) };
const oneWorker = { count: () => Promise.resolve(1) };
const parts = {
  storeWatch: available,
  workers: oneWorker,
  engine,
  egress: { problem: () => undefined, unproven: (): string[] => [] },
  upkeep,
};

test('is ready while the store is being looked at, and says what still is', async () => {
  const checking = ['ledger: 5 of 10 new entries audited'];
  const found: string[] = [];
  const readiness = createReadiness({
    ...parts,
    upkeep: { checking: () => checking, problems: () => found },
  });
  assert.deepEqual(await readiness(), { ready: true, checking });
  found.push('the file is damaged');
  assert.deepEqual(await readiness(), { ready: false, problems: found });
});

test('says what is wrong with the store, and recovers with it', async () => {
  const problem = 'the store is unavailable: the disk is full';
  let state: StoreState = { kind: 'unavailable', fault: 'full', problem };
  const readiness = createReadiness({ ...parts, storeWatch: { look: () => Promise.resolve(state) } });
  assert.deepEqual(await readiness(), { ready: false, problems: [problem] });
  state = { kind: 'available' };
  assert.deepEqual(await readiness(), { ready: true });
});

test('is not ready while the resolver denies what exists, and says what to do', async () => {
  const line = 'the resolver denies what is known to exist (example.com)';
  const readiness = createReadiness({
    ...parts,
    engine: { health: () => ({ ...engine.health(), resolver: { kind: 'denies', line } }) },
  });
  const found = await readiness();
  assert.ok(!found.ready);
  assert.match(found.problems.join('\n'), /^the resolver denies .*; set MAILPROOF_DNS_SERVERS .*$/);
});

test('is not ready while no prober can ask, and says which and why', async () => {
  const problem = 'no prober can ask mail hosts: default (mail port blocked)';
  const readiness = createReadiness({ ...parts, egress: { problem: () => problem, unproven: () => [] } });
  assert.deepEqual(await readiness(), { ready: false, problems: [problem] });
});

test('says that no worker is running, and goes on serving single requests', async () => {
  let workers: number | undefined = 0;
  const readiness = createReadiness({ ...parts, workers: { count: () => Promise.resolve(workers) } });
  const found = await readiness();
  assert.ok(found.ready);
  assert.match(found.warnings?.join('\n') ?? '', /^no worker is running.*serve --role worker$/);
  for (workers of [1, undefined]) assert.deepEqual(await readiness(), { ready: true });
});

test('says that public mail hosts are not asked under our name and what to set, and goes on serving', async () => {
  const identity = {
    route: 'default',
    heloName: 'vm.localdomain',
    seenFrom: [],
    problem: 'the HELO name vm.localdomain is not ours. Set MAILPROOF_HELO_NAME',
    note: undefined,
  };
  const own = createReadiness({
    ...parts,
    engine: { health: () => ({ ...engine.health(), identity: [identity] }) },
  });
  const found = await own();
  assert.ok(found.ready);
  assert.match(
    found.warnings?.join('\n') ?? '',
    /^public mail hosts are not asked: .*Set MAILPROOF_HELO_NAME.*502$/,
  );

  const egress = { problem: () => undefined, unproven: () => ['office/default'] };
  const others = await createReadiness({ ...parts, egress })();
  assert.ok(others.ready);
  assert.match(
    others.warnings?.join('\n') ?? '',
    /^public mail hosts are not asked from office\/default: .*doctor/,
  );
});
