import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explore } from '../../model/explore.ts';
import { handOverModel } from '../../model/probers/hand-over.ts';
import { ownershipModel } from '../../model/probers/ownership.ts';

/**
 * The models of probers at sizes that take a while; the small ones, and the need for each guard, are part of every
 * run.
 */
describe('the models of probers, thoroughly', () => {
  for (const size of [
    { processes: 2, faults: 2 },
    { processes: 3, faults: 0 },
  ]) {
    it(`one owner at a time: ${size.processes} processes, ${size.faults} faults`, (t) => {
      const { violation, states, steps } = explore(ownershipModel(size));
      t.diagnostic(`${states} states, ${steps} steps`);
      assert.equal(violation, undefined);
    });
  }

  for (const size of [
    { probers: 2, orders: ['single'], faults: 3 },
    { probers: 3, orders: ['single'], faults: 1 },
    { probers: 1, orders: ['single'], faults: 3 },
    { probers: 1, orders: ['single', 'single'], faults: 1 },
    { probers: 1, orders: ['task'], faults: 2 },
    { probers: 2, orders: ['task'], faults: 0 },
    { probers: 1, orders: ['single', 'task'], faults: 0 },
  ] as const) {
    it(`nothing lost, nothing twice: ${size.probers} probers, ${size.orders.join(' and ')}, ${size.faults} faults`, (t) => {
      const { violation, states, steps } = explore(handOverModel(size));
      t.diagnostic(`${states} states, ${steps} steps`);
      assert.equal(violation, undefined);
    });
  }
});
