import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explore } from '../explore.ts';
import { handOverGuards } from './hand-over-state.ts';
import { handOverModel } from './hand-over.ts';

/** Small enough for every run; `npm run test:faults` explores larger ones. */
const sizes = [
  { probers: 1, orders: ['single'], faults: 1 },
  { probers: 2, orders: ['single'], faults: 1 },
  { probers: 1, orders: ['task'], faults: 1 },
] as const;

describe('the model of a probe that is handed over, and of its credit', () => {
  for (const size of sizes) {
    it(`keeps every promise: ${size.probers} probers, a ${size.orders[0]}, ${size.faults} fault`, () => {
      const { violation, states } = explore(handOverModel(size));
      assert.equal(violation, undefined);
      assert.ok(states > 300, `${states} states`);
    });
  }

  for (const without of handOverGuards) {
    it(`misses the guard: ${without}`, () => {
      assert.ok(sizes.some((size) => explore(handOverModel({ ...size, without })).violation !== undefined));
    });
  }
});
