import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStore } from '../../../start/open-store.ts';
import { databases } from '../../../../test/support/databases.ts';
import { readRandomProbeKey } from './read-random-probe-key.ts';

for (const database of databases) {
  describe(`the key of random probes on ${database.name}`, () => {
    it('is the first process’s for all that share the store, and stays', async () => {
      const { store, settings, close } = await database.open();
      const other = await openStore(settings);
      try {
        const keys = await Promise.all([
          readRandomProbeKey('mine', { store }),
          readRandomProbeKey('another', { store: other }),
        ]);
        assert.equal(keys[0], keys[1]);
        assert.ok(['mine', 'another'].includes(keys[0]));
        assert.equal(await readRandomProbeKey('a third', { store: other }), keys[0]);
      } finally {
        await other.close();
        await close();
      }
    });
  });
}
