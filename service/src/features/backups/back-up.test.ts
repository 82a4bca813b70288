import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createAccount } from '../../core/keys/accounts/create-account.ts';
import { databases } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { findLastBackup } from '../operator/audit-log/find-last-backup.ts';
import { createBackupFigure } from '../metrics/create-backup-figure.ts';
import { backUp, noteBackup } from './back-up.ts';

for (const database of databases) {
  describe(`the time of the last backup on ${database.name}`, () => {
    it('is 0 before the first, and then that of the newest, read once a minute', async () => {
      const { store, settings, dataDir, close } = await database.open();
      const place = { dataDir, databaseUrl: settings.databaseUrl };
      const time = createTestClock();
      const read = createBackupFigure({ store, clock: time });
      const told = async () => (await read()).map(({ key, value }) => [key, value]);
      assert.deepEqual(await told(), [['lastBackup', 0]]);
      await noteBackup(5_000, place);
      await noteBackup(9_000, place);
      const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
      await createAccount({ name: 'a', plan: 'none', credits: 0 }, parts);
      assert.deepEqual(await told(), [['lastBackup', 0]]);
      time.advance(60_000);
      assert.deepEqual(await told(), [['lastBackup', 9]]);
      await close();
    });
  });
}

it('a backup of SQLite notes when it was taken, and is good though that cannot be noted', async () => {
  const [sqlite] = databases;
  assert.ok(sqlite);
  const { store, dataDir, damage, close } = await sqlite.open();
  const place = { dataDir, databaseUrl: undefined };
  const first = await backUp(join(dataDir, 'first'), place);
  assert.ok(first.kind === 'backed_up' && first.unnoted === undefined);
  assert.equal(await findLastBackup(store.read), Date.parse(first.manifest.takenAt));
  await damage('alter table audit_log rename to lost');
  const second = await backUp(join(dataDir, 'second'), place);
  assert.ok(second.kind === 'backed_up');
  assert.match(second.unnoted ?? '', /audit_log/);
  await close();
});
