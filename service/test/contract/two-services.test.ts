import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../support/databases.ts';
import { createApiClient } from '../support/api-client.ts';
import { openFixture } from '../support/open-fixture.ts';

/** Two services on one database, with pacing on: mail hosts meet them as one. */
const mailboxes = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`person${n}`, 'exists' as const]));
const description = {
  zones: { 'list.test': { mx: [[10, 'mx.list.test'] as [number, string]] } },
  hosts: { 'mx.list.test': { mailboxes, temper: {} } },
};
const emails = (from: number, to: number): string[] =>
  Object.keys(mailboxes)
    .slice(from, to)
    .map((name) => `${name}@list.test`);

for (const { name: database } of databases) {
  describe(`two services on ${database}`, () => {
    it('answer every address, and the host never has more conversations than one may hold', async () => {
      const fixture = await openFixture({
        world: description,
        database,
        settings: { MAILPROOF_PACING: 'on' },
      });
      const services = [await fixture.startHere(), await fixture.startHere()];
      const clients = services.map(({ url }) => createApiClient(url));
      try {
        const { liveKey: key } = await fixture.openAccount({ credits: 1_000 });
        const tasks = await Promise.all(
          clients.map(async (client, index) => {
            const taskId = await client.createdTask(key, emails(index * 25, index * 25 + 25));
            return { client, taskId };
          }),
        );
        const singles = await Promise.all(
          clients.map((client, index) => client.verify(key, `person${50 + index}@list.test`)),
        );
        assert.deepEqual(
          singles.map(({ body }) => body['status']),
          ['safe', 'safe'],
        );
        for (const { client, taskId } of tasks) {
          const results = Object.values(await client.results(key, taskId));
          assert.deepEqual([results.length, ...new Set(results.map(({ status }) => status))], [25, 'safe']);
        }
        assert.ok((fixture.world.hosts['mx.list.test']?.counts.mostOpen ?? 99) <= 2);
        assert.deepEqual(fixture.world.violations, []);
      } finally {
        await Promise.all(services.map((service) => service.stop()));
        await fixture.close();
      }
    });
  });
}
