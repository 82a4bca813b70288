/** A part of the contract suite once more, with the service on PostgreSQL: what stands in the store. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPostgresDatabase } from '../support/postgres/test-postgres.ts';

const contract = join(import.meta.dirname, '../contract');
const files = ['idempotency', 'tasks', 'refusals'];

for (const file of files) {
  test(`${file}.test.ts holds on PostgreSQL`, async () => {
    // Starts the server, or finds the one of this run; the other process is told which.
    const { url, giveBack } = await createPostgresDatabase('empty');
    const env = { ...process.env, MAILPROOF_TEST_SERVICE_ON: 'PostgreSQL', MAILPROOF_TEST_POSTGRES_URL: url };
    // It would take itself for a part of this run.
    delete (env as NodeJS.ProcessEnv)['NODE_TEST_CONTEXT'];
    const child = spawn(process.execPath, ['--test', join(contract, `${file}.test.ts`)], {
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
