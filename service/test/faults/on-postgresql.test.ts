/**
 * Suites that run on SQLite with `npm test`, run again on PostgreSQL: a part of the contract, and all of
 * `oneDatabase`.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { serviceOnVariable } from '../support/databases.ts';
import { createPostgresDatabase } from '../support/postgres/test-postgres.ts';

const service = join(import.meta.dirname, '../..');
const contract = ['idempotency', 'tasks', 'refusals'].map((name) => `test/contract/${name}.test.ts`);
const overTheStore = globSync('{src,test}/**/*.test.ts', { cwd: service }).filter((file) =>
  /^import .*\boneDatabase\b/m.test(readFileSync(join(service, file), 'utf8')),
);

describe('on PostgreSQL', { concurrency: 2 }, () => {
  for (const file of [...contract, ...overTheStore.sort()]) {
    test(`${file} holds`, async () => {
      // Starts the server, or finds the one of this run, and names it to the other process.
      const { url, giveBack } = await createPostgresDatabase('empty');
      const env = { ...process.env, [serviceOnVariable]: 'PostgreSQL', MAILPROOF_TEST_POSTGRES_URL: url };
      // Otherwise it would take itself for a part of this run.
      delete (env as NodeJS.ProcessEnv)['NODE_TEST_CONTEXT'];
      const child = spawn(process.execPath, ['--test', join(service, file)], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      const [status] = (await once(child, 'close')) as [number | null];
      assert.equal(status, 0, said);
      assert.match(said, /^\S* ?fail 0$/m);
      await giveBack();
    });
  }
});
