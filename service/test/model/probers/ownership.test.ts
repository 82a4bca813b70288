import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explore } from '../explore.ts';
import { ownershipGuards, ownershipModel } from './ownership.ts';

describe('the model of who owns an egress address', () => {
  it('never has two that begin conversations, whatever is killed, stopped or lost', () => {
    const { violation, states } = explore(ownershipModel({ processes: 2, faults: 1 }));
    assert.equal(violation, undefined);
    assert.ok(states > 1_000, `${states} states`);
  });

  for (const without of ownershipGuards) {
    it(`misses the guard: ${without}`, () => {
      const { violation } = explore(ownershipModel({ processes: 2, faults: 1, without }));
      assert.notEqual(violation, undefined);
    });
  }
});
