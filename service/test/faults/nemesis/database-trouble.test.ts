import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommand } from '../endurance/run-command.ts';
import { adminToken, createAskEveryApi, refusedIds, type AskEveryApi } from './ask-every-api.ts';
import { databaseTroubles } from './database-troubles.ts';
import { openFleet, type Fleet } from './fleet.ts';
import { untilWorldIsQuiet } from './until-world-is-quiet.ts';

describe('three APIs whose database fails them', () => {
  let fleet: Fleet;
  let ask: AskEveryApi;
  before(async () => {
    const settings = { MAILPROOF_ADMIN_TOKEN: adminToken };
    fleet = await openFleet({ apis: 3, workers: 1, maxConnections: 120, settings });
    await Promise.all([...fleet.apis, ...fleet.workers].map((member) => member.start()));
    ask = await createAskEveryApi(fleet);
  });
  after(() => fleet.close());

  /** Of requests that were refused. Where a single one was let in, it may have been refused after its reservation. */
  function committedOf(ids: string[], refused: readonly string[]): Promise<Record<string, unknown>[]> {
    const holds = 'select id, charged from hold where id = any($1)';
    if (refused.includes('single')) return fleet.query(holds, [ids]);
    const ofTask = 'exists (select 1 from task where task.hold_id = hold.id)';
    return fleet.query(`${holds} and (charged > 0 or ${ofTask})`, [ids]);
  }

  for (const { name, refused, certain, begin } of databaseTroubles) {
    it(`${name}: 503 and when to come again, no packet sent, and back by itself`, async (t) => {
      await ask.untilServed();
      await untilWorldIsQuiet(fleet);
      const end = await begin(fleet);
      let ids: string[];
      try {
        fleet.world.reset();
        ids = refusedIds(await ask.throughTrouble(t, refused));
        const { smtp, dns } = fleet.world.counts;
        if (refused.includes('single'))
          assert.deepEqual([smtp.connections, dns.queries], [0, 0], 'nobody was asked on credit');
      } finally {
        await end();
      }
      await ask.untilServedSoon(t);
      assert.deepEqual(fleet.crashes, []);
      if (certain) assert.deepEqual(await committedOf(ids, refused), [], 'refused, and committed afterwards');
    });
  }

  it('afterwards the books balance', async () => {
    assert.deepEqual((await runCommand(['audit'], fleet.home))['violations'], []);
  });
});
