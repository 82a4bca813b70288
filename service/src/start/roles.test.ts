import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorldDescription } from '@mailproof/world';
import { createApiClient } from '../../test/support/api-client.ts';
import { openFixture } from '../../test/support/open-fixture.ts';

const description: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] } },
  hosts: { 'mx.brisk.test': { mailboxes: { ann: 'exists', bob: 'exists' } } },
};

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  describe(`the roles of processes on ${database}`, () => {
    it('an API takes tasks and a worker runs them, whichever comes first', async () => {
      const fixture = await openFixture({
        world: description,
        database,
      });
      const { liveKey: key } = await fixture.openAccount({ credits: 100 });
      const api = await fixture.startHere({ role: 'api' });
      const client = createApiClient(api.url);
      try {
        const first = await client.createdTask(key, ['ann@brisk.test', 'eve@brisk.test']);
        assert.equal((await client.readTask(key, first)).body['status'], 'waiting');
        const worker = await fixture.startHere({ role: 'worker' });
        assert.equal(worker.url, '');
        try {
          const results = await client.results(key, first);
          assert.deepEqual(
            Object.values(results).map(({ status }) => status),
            ['safe', 'invalid'],
          );
          const second = await client.createdTask(key, ['bob@brisk.test']);
          assert.equal((await client.results(key, second))['bob@brisk.test']?.status, 'safe');
        } finally {
          await worker.stop();
        }
        const third = await client.createdTask(key, ['bob@brisk.test']);
        assert.equal((await client.readTask(key, third)).body['status'], 'waiting');
      } finally {
        await api.stop();
        await fixture.close();
      }
    });
  });
}
