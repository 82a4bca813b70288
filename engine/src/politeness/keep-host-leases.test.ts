import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock, type TestClock } from '../../test/support/test-clock.ts';
import { keepHostLeases } from './keep-host-leases.ts';
import { createLeaseStoreInMemory } from '../../test/support/lease-store-in-memory.ts';
import { leaseKeptMs, type LeaseStore } from './lease-store.ts';

const key = 'group one.example';

/** A process whose connection to the store can be cut, and which tells what it was handed. */
function startProcess(clock: TestClock, name: string, shared: LeaseStore) {
  const state = { isCut: false, isTalking: false };
  const loaded: unknown[] = [];
  const problems: string[] = [];
  const came: string[] = [];
  const leases = keepHostLeases({
    clock,
    store: {
      ...shared,
      exchange: (exchange) =>
        state.isCut ? Promise.reject(new Error('cut off')) : shared.exchange(exchange),
    },
    onLease: (lease) => void came.push(lease),
    onProblem: (message) => problems.push(message),
    state: {
      isOpen: () => state.isTalking,
      save: () => `left by ${name}`,
      load: ({ state }) => void loaded.push(state),
      recent: () => (state.isTalking ? [key] : []),
    },
  });
  return { leases, state, loaded, problems, came };
}

async function pass(clock: TestClock, ms: number): Promise<void> {
  const until = clock.now() + ms;
  clock.after(ms, () => undefined);
  while (clock.now() < until) {
    clock.step();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

for (const lendsAllHosts of [false, true]) {
  const how = lendsAllHosts ? ', all hosts lent' : '';

  test(`a lease goes from process to process, with what was left${how}`, async () => {
    const clock = createTestClock();
    const open = createLeaseStoreInMemory(clock, lendsAllHosts);
    const one = startProcess(clock, 'one', open('one'));
    const other = startProcess(clock, 'other', open('other'));
    assert.equal(one.leases.firstMissing([key]), key);
    await pass(clock, 10);
    assert.equal(one.leases.firstMissing([key]), undefined);
    one.state.isTalking = true;
    assert.equal(other.leases.firstMissing([key]), key);
    await pass(clock, 5_000);
    assert.equal(other.leases.firstMissing([key]), key, 'the first still talks');
    one.state.isTalking = false;
    await pass(clock, 2_000);
    assert.deepEqual([other.came, other.loaded], [[key], ['left by one']]);
  });

  test(`who was cut off begins nothing, and learns what the others did meanwhile${how}`, async () => {
    const clock = createTestClock();
    const open = createLeaseStoreInMemory(clock, lendsAllHosts);
    const one = startProcess(clock, 'one', open('one'));
    const other = startProcess(clock, 'other', open('other'));
    one.leases.firstMissing([key]);
    await pass(clock, 10);
    assert.equal(one.leases.firstMissing([key]), undefined);
    one.state.isCut = true;
    one.state.isTalking = true;
    await pass(clock, 4_000);
    assert.equal(one.leases.firstMissing([key]), key, 'lapsed');
    other.leases.firstMissing([key]);
    await pass(clock, leaseKeptMs - 10_000);
    assert.deepEqual(other.came, [], 'not before it is free');
    await pass(clock, 12_000);
    assert.deepEqual(other.came, [key]);
    one.state.isTalking = false;
    one.state.isCut = false;
    one.leases.firstMissing([key]);
    await pass(clock, 1_000);
    assert.deepEqual([one.came, one.loaded.at(-1)], [[key, key], 'left by other']);
    assert.equal(one.problems.length, 1, 'told once');
  });
}
