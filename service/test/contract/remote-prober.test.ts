/** An installation that cannot reach port 25 asks through a remote prober. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { standardCast, standardWorld, type CastMember } from '@mailproof/world';
import { databases } from '../support/databases.ts';
import { openProberFixture, type ProberFixture } from '../support/open-prober-fixture.ts';
import { runList } from '../support/run-list.ts';

/** Addresses that are answered quickly, and that no list decides. */
const cast = standardCast.filter(({ slow, needs }) => slow === undefined && needs === undefined);

const triesOnABusyMachine = 5;
type WrongAnswer = { member: CastMember; seen: unknown; wanted: string; why: unknown };

/** Yields the items of arrays; consumers that share the iterator get different arrays. */
function* flatten<Item>(arrays: Iterable<Item[]>): Generator<Item> {
  for (const array of arrays) yield* array;
}

for (const { name: database } of databases) {
  describe(`an API and a worker that can dial nothing, on ${database}`, () => {
    let fixture: ProberFixture;
    before(async () => {
      // Behind a proxy with a path prefix, as in many offices: probers get the URL with that path.
      const settings = { MAILPROOF_BASE_PATH: '/mailproof' };
      fixture = await openProberFixture({ world: standardWorld(), database, settings });
    });
    after(() => fixture.close());

    test('without a prober nothing can be found out, and nothing is charged', async () => {
      await fixture.invite('unused');
      const { client, account } = fixture;
      const answer = await client.ask(
        { path: '/api/v1/email-verification', key: account.liveKey, body: { email: 'alive@plain.test' } },
        { insist: false },
      );
      // Before any prober has enrolled, the API asks by itself, behind a guard that lets nothing out.
      assert.equal(answer.creditsUsed, '0');
      assert.notEqual(answer.body['status'], 'safe');
    });

    test('every status of the standard cast is right, asked one by one through one prober', async () => {
      const { client, account } = fixture;
      await fixture.startProber('far');
      await fixture.untilWell('far');
      async function ask(members: readonly CastMember[]): Promise<WrongAnswer[]> {
        const wrong: WrongAnswer[] = [];
        // One address of a domain at a time: a host that takes one recipient in a conversation has to be met first.
        const queue = Map.groupBy(members, ({ address }) => address.split('@')[1]).values();
        await Promise.all(
          Array.from({ length: 12 }, async () => {
            for (const member of flatten(queue)) {
              const path = '/api/v1/email-verification?explain=true';
              const { status, body } = await client.verify(account.liveKey, member.address, { path });
              const seen = status === 200 ? body['status'] : body['reason'];
              const wanted = 'status' in member.expect ? member.expect.status : member.expect.error;
              if (seen !== wanted) wrong.push({ member, seen, wanted, why: body['explanation'] });
            }
          }),
        );
        return wrong;
      }
      let wrong = await ask(cast);
      // Unknown is honest if the machine is too busy for the engine's patience. Any other difference is wrong.
      const isHonest = ({ seen }: WrongAnswer) => seen === 'verification_unavailable' || seen === 'unknown';
      for (
        let tries = 1;
        wrong.length > 0 && wrong.every(isHonest) && tries < triesOnABusyMachine;
        tries += 1
      )
        wrong = await ask(wrong.map(({ member }) => member));
      assert.deepEqual(wrong, []);
      assert.deepEqual(fixture.fixture.world.violations, []);
    });

    test('a task is run through it as well, and every credit is accounted for', async () => {
      const { client, account } = fixture;
      const members = cast
        .filter(({ expect }) => 'status' in expect && expect.status !== 'unknown')
        .slice(0, 60);
      const id = await client.createdTask(
        account.liveKey,
        members.map(({ address }) => address),
      );
      const results = await client.results(account.liveKey, id);
      const wrong = members.flatMap(({ address, expect }) => {
        const seen = results[address]?.status;
        return 'status' in expect && seen !== expect.status ? [{ address, seen, wanted: expect.status }] : [];
      });
      assert.deepEqual(wrong, []);
      const { violations } = (await fixture.fixture.command('audit')) as { violations: unknown };
      assert.deepEqual(violations, []);
    });

    test('a list is uploaded, run through it and downloaded with every status right', async () => {
      const { client, account } = fixture;
      const members = cast
        .filter(({ address }) => /^[\w.+-]+@[\w.-]+$/u.test(address))
        .filter(({ expect }) => 'status' in expect && expect.status !== 'unknown')
        .slice(60, 120);
      const addresses = members.map(({ address }) => address);
      const seen = await runList(client, account.liveKey, addresses);
      const wrong = members.flatMap(({ address, expect }) =>
        'status' in expect && seen.get(address) !== expect.status
          ? [{ address, seen: seen.get(address), wanted: expect.status }]
          : [],
      );
      assert.deepEqual(wrong, []);
    });

    test('nothing of the probes is left, and the operator sees who asked', async () => {
      const [far] = (await fixture.list()).filter(({ name }) => name === 'far');
      assert.equal(far?.state, 'well');
      assert.ok(far.answered > 50, JSON.stringify(far));
      assert.deepEqual(await fixture.fixture.query('select id from probe'), []);
    });
  });
}
