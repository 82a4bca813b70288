import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, type TestStore } from '../../../service/test/support/databases.ts';
import { readSchemaVersion } from '@mailproof/service';
import { runHere } from '../../test/support/run-here.ts';

/** A command of a new version, on a database that the version before serves. */
for (const database of databases) {
  describe(`a database with an older schema on ${database.name}`, () => {
    let opened: TestStore;
    let env: Record<string, string>;
    let known: number;
    before(async () => {
      opened = await database.open();
      known = await readSchemaVersion(opened);
      await opened.execute(`update schema_version set version = ${known - 1}`);
      const { dataDir, databaseUrl } = opened.settings;
      env = {
        MAILPROOF_DATA_DIR: dataDir,
        MAILPROOF_DNS_SERVERS: '127.0.0.1:9',
        ...(databaseUrl === undefined ? {} : { MAILPROOF_DATABASE_URL: databaseUrl }),
      };
    });
    after(async () => {
      await opened.execute(`update schema_version set version = ${known}`);
      await opened.close();
    });

    for (const args of [
      ['accounts', 'list'],
      ['accounts', 'create', '--name', 'x'],
      ['audit'],
      ['keys', 'list', 'acct_none'],
      ['credits', 'show', 'acct_none'],
      ['probers', 'list'],
      ['rests', 'list'],
    ]) {
      test(`${args.join(' ')} leaves it alone, and says in one line what to do`, async () => {
        const { code, stdout, stderr } = await runHere(args, { env });
        assert.deepEqual([code, stdout], [3, '']);
        assert.match(
          stderr,
          new RegExp(`^mailproof: .* has schema ${known - 1}, .* run mailproof migrate .*\\n$`),
        );
        assert.equal(await readSchemaVersion(opened), known - 1);
      });
    }

    test('doctor reads it as it is, and names the difference', async () => {
      const { stdout } = await runHere(['doctor', '--json'], { env });
      const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; seen: string }[] };
      const found = checks.find(({ check }) => check === 'schema');
      assert.equal(found?.state, 'warning');
      assert.match(found.seen, new RegExp(`has schema ${known - 1}, .* works on ${known}$`));
      assert.equal(await readSchemaVersion(opened), known - 1);
    });
  });
}
