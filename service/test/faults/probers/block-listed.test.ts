/** A prober whose address is on a block list learns nothing else, and none of its results is charged. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { openProberFixture, type ProberFixture } from '../../support/open-prober-fixture.ts';
import { until } from '../../support/until.ts';

const mailboxes = { alive: 'exists', m1: 'exists', m2: 'exists', m3: 'exists' } as const;

/** Hosts that use a block list: one says so, and one claims for every recipient that there is no such user. */
const listedAddress = '127.0.0.66';
const refusalOf = (reply: string) => ({ refusal: { at: 'rcpt', reply, to: [listedAddress] } }) as const;
const world: WorldDescription = {
  zones: {
    'wary.test': { mx: [[10, 'mx.wary.test']] },
    'curt.test': { mx: [[10, 'mx.curt.test']] },
  },
  hosts: {
    'mx.wary.test': {
      mailboxes: { alive: 'exists' },
      temper: refusalOf('550 5.7.1 Service unavailable; client [{client}] blocked using bl.example'),
    },
    'mx.curt.test': {
      mailboxes,
      temper: refusalOf('550 5.1.1 <{recipient}>: User unknown'),
    },
  },
};

for (const { control, says } of [
  { control: 'alive@wary.test', says: 'that it is on a block list' },
  { control: 'alive@curt.test', says: 'that nobody lives there' },
])
  describe(`a prober on a block-listed address, whose control mailbox is told ${says}`, () => {
    let fixture: ProberFixture;
    before(async () => {
      const [, domain = ''] = control.split('@');
      fixture = await openProberFixture({
        world,
        database: 'SQLite',
        providers: { providers: { [domain]: { controls: [control] } } },
        absentProber: true,
      });
    });
    after(() => fixture.close());

    test('is in quarantine after its first control: no wrong verdict is sold, and another is asked instead', async () => {
      const { account, client } = fixture;
      await fixture.startProber('listed', {
        providers: { routes: [{ id: 'office', kind: 'direct', localAddress: listedAddress }] },
      });
      const early = client.verify(account.liveKey, 'm1@curt.test');
      await until(fixture.list, (all) => all.some(({ whyNot }) => whyNot === 'controls_wrong'));
      const refused = [await early, await client.verify(account.liveKey, 'm2@curt.test')];
      for (const { status, creditsUsed } of refused) assert.deepEqual([status, creditsUsed], [502, '0']);
      const { conversations } = fixture.fixture.world;
      assert.ok(conversations.some((one) => one.client === listedAddress));
      await fixture.startProber('clean');
      await fixture.untilWell('clean');
      const right = await until(
        () => client.verify(account.liveKey, 'm3@curt.test'),
        ({ status }) => status === 200,
      );
      assert.equal(right.body['status'], 'safe');
    });
  });
