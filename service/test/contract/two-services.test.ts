import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../support/databases.ts';
import { postTask, readResults, serviceBesideWorld, verifySingle } from '../support/service-beside-world.ts';

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

for (const database of databases) {
  describe(`two services on ${database.name}`, () => {
    it('answer every address, and the host never has more conversations than one may hold', async () => {
      const { settings, close } = await database.open();
      const house = await serviceBesideWorld(description, {
        MAILPROOF_PACING: 'on',
        MAILPROOF_DATA_DIR: settings.dataDir,
        ...(settings.databaseUrl === undefined ? {} : { MAILPROOF_DATABASE_URL: settings.databaseUrl }),
      });
      const services = [await house.start(), await house.start()];
      try {
        const key = await house.openAccount(1_000);
        const tasks = await Promise.all(
          services.map(async (service, index) => {
            const taskId = await postTask(service, key, emails(index * 25, index * 25 + 25));
            return { service, taskId };
          }),
        );
        const singles = await Promise.all(
          services.map((service, index) => verifySingle(service, key, `person${50 + index}@list.test`)),
        );
        assert.deepEqual(singles, ['safe', 'safe']);
        for (const { service, taskId } of tasks) {
          const results = Object.values(await readResults(service, key, taskId));
          assert.deepEqual([results.length, ...new Set(results.map(({ status }) => status))], [25, 'safe']);
        }
        assert.ok((house.world.hosts['mx.list.test']?.counts.mostOpen ?? 99) <= 2);
        assert.deepEqual(house.world.violations, []);
      } finally {
        await Promise.all(services.map((service) => service.stop()));
        await house.close();
        await close();
      }
    });
  });
}
