import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { databases } from '../../test/support/databases.ts';
import {
  postTask,
  readProgress,
  readResults,
  serviceBesideWorld,
} from '../../test/support/service-beside-world.ts';

const description: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: { 'mx.brisk.test': { mailboxes: { ann: 'exists', bob: 'exists' } } },
};

for (const database of databases) {
  describe(`the roles of processes on ${database.name}`, () => {
    it('an API takes tasks and a worker runs them, whichever comes first', { timeout: 60_000 }, async () => {
      const { settings, close } = await database.open();
      const { dataDir, databaseUrl } = settings;
      const house = await serviceBesideWorld(description, {
        MAILPROOF_DATA_DIR: dataDir,
        ...(databaseUrl === undefined ? {} : { MAILPROOF_DATABASE_URL: databaseUrl }),
      });
      const key = await house.openAccount(100);
      const api = await house.start({ role: 'api' });
      try {
        const first = await postTask(api, key, ['ann@brisk.test', 'eve@brisk.test']);
        assert.equal((await readProgress(api, key, first)).status, 'waiting');
        const worker = await house.start({ role: 'worker' });
        assert.equal(worker.url, '');
        try {
          const results = await readResults(api, key, first);
          assert.deepEqual(
            Object.values(results).map(({ status }) => status),
            ['safe', 'invalid'],
          );
          const second = await postTask(api, key, ['bob@brisk.test']);
          assert.equal((await readResults(api, key, second))['bob@brisk.test']?.status, 'safe');
        } finally {
          await worker.stop();
        }
        const third = await postTask(api, key, ['bob@brisk.test']);
        assert.equal((await readProgress(api, key, third)).status, 'waiting');
      } finally {
        await api.stop();
        await house.close();
        await close();
      }
    });
  });
}
