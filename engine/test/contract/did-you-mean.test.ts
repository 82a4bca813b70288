import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HostDescription } from '@mailproof/world';
import { startEngine, type EngineInWorld } from '../support/start-engine.ts';

/** A slip in the domain is told with the verdict on it, and so is a domain that is parked. */

const alive: HostDescription = { mailboxes: { ada: 'exists' } };
let running: EngineInWorld;
before(async () => {
  running = await startEngine({
    zones: {
      'gmaill.com': { mx: [[10, 'mx.living.test']] },
      'fred.fr': { mx: [[10, 'mx.living.test']] },
      'freee.fr': { mx: [[10, 'mx7.mb5p.com']] },
      'email.com': { mx: [[10, 'mx.living.test']] },
      'forsale.test': { mx: [[10, 'park-mx.above.com']] },
    },
    hosts: {
      'mx.living.test': alive,
      'mx7.mb5p.com': { temper: { catchAll: true } },
      'park-mx.above.com': { temper: { catchAll: true } },
    },
  });
});
after(() => running.stop());

async function hints(email: string) {
  const outcome = await running.verify(email);
  assert.equal(outcome.kind, 'verdict');
  const { did_you_mean: meant, parked } = outcome.explanation;
  return [outcome.verdict.status, meant, parked];
}

describe('did you mean', () => {
  const table: [string, string, unknown[]][] = [
    ['a dead domain one slip away', 'ada@gmial.com', ['invalid', 'gmail.com', undefined]],
    ['a suffix that does not exist', 'ada@hotmail.con', ['invalid', 'hotmail.com', undefined]],
    ['a dead domain near a short name', 'ada@gxm.de', ['invalid', 'gmx.de', undefined]],
    ['a living domain near a long name', 'ada@gmaill.com', ['safe', 'gmail.com', undefined]],
    ['a living domain near a short name is left alone', 'ada@fred.fr', ['safe', undefined, undefined]],
    ['a parked domain near a short name', 'ada@freee.fr', ['catch_all', 'free.fr', true]],
    ['a parked domain near no provider', 'ada@forsale.test', ['catch_all', undefined, true]],
    ['a well-known domain is never corrected', 'ada@email.com', ['safe', undefined, undefined]],
    ['a dead domain near no provider', 'ada@nowhere.test', ['invalid', undefined, undefined]],
  ];
  for (const [title, email, expected] of table) {
    test(title, async () => {
      assert.deepEqual(await hints(email), expected);
    });
  }
});
