import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminToken, createAskEveryApi, refusedIds, type AskEveryApi } from './ask-every-api.ts';
import { databaseTroubles } from './database-troubles.ts';
import { openInstallation, type Installation } from './open-installation.ts';
import { untilWorldIsQuiet } from './until-world-is-quiet.ts';

describe('three APIs whose database fails them', () => {
  let installation: Installation;
  let ask: AskEveryApi;
  before(async () => {
    const settings = { MAILPROOF_ADMIN_TOKEN: adminToken };
    installation = await openInstallation({ apis: 3, workers: 1, maxConnections: 120, settings });
    await Promise.all([...installation.apis, ...installation.workers].map((one) => one.start()));
    ask = await createAskEveryApi(installation);
  });
  after(() => installation.close());

  /**
   * Returns the committed holds of refused requests. If singles are served, a refused one may have a reservation,
   * so only charges and tasks count.
   */
  function committedOf(ids: string[], refused: readonly string[]): Promise<Record<string, unknown>[]> {
    const holds = 'select id, charged from hold where id = any($1)';
    if (refused.includes('single')) return installation.query(holds, [ids]);
    const ofTask = 'exists (select 1 from task where task.hold_id = hold.id)';
    return installation.query(`${holds} and (charged > 0 or ${ofTask})`, [ids]);
  }

  for (const { name, refused, certain, begin } of databaseTroubles) {
    it(`${name}: 503 and when to come again, no packet sent, and back by itself`, async (t) => {
      await ask.untilServed();
      await untilWorldIsQuiet(installation);
      const end = await begin(installation);
      let ids: string[];
      try {
        installation.world.reset();
        ids = refusedIds(await ask.throughTrouble(t, refused));
        const { smtp, dns } = installation.world.counts;
        if (refused.includes('single'))
          assert.deepEqual([smtp.connections, dns.queries], [0, 0], 'nobody was asked on credit');
      } finally {
        await end();
      }
      await ask.untilServedSoon(t);
      assert.deepEqual(installation.crashes, []);
      if (certain) assert.deepEqual(await committedOf(ids, refused), [], 'refused, and committed afterwards');
    });
  }

  it('afterwards the books balance', async () => {
    assert.deepEqual((await installation.command('audit'))['violations'], []);
  });
});
