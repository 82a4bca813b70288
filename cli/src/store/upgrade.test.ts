import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openStore, storeFile } from '@mailproof/service';
import {
  createPostgresDatabase,
  withoutPostgres,
} from '../../../service/test/support/postgres/test-postgres.ts';
import { runHere } from '../../test/support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-upgrade-'));
after(() => rmSync(folder, { recursive: true }));

type Plan = {
  outcome: string;
  version: number;
  known: number;
  goesOn?: boolean;
  steps?: { version: number }[];
};

async function check(env: Record<string, string>): Promise<{ code: number | null; plan: Plan }> {
  const { code, stdout } = await runHere(['upgrade', '--check', '--json'], { env });
  return { code, plan: JSON.parse(stdout) as Plan };
}

test('where there is no database yet, none is made', async () => {
  const { code, plan } = await check({ MAILPROOF_DATA_DIR: join(folder, 'none') });
  assert.deepEqual([code, plan.outcome], [0, 'new']);
  assert.deepEqual(readdirSync(folder), []);
});

test('says what is changed, whether it may be gone back, and changes nothing', async () => {
  const dataDir = join(folder, 'data');
  const env = { MAILPROOF_DATA_DIR: dataDir };
  await (await openStore({ dataDir, check: false })).close();
  const { plan: current } = await check(env);
  assert.equal(current.outcome, 'up_to_date');
  const database = new DatabaseSync(storeFile(dataDir));
  const pretend = async (version: number, serves: number) => {
    database.exec(`update schema_version set version = ${version}, serves = ${serves}`);
    return await check(env);
  };
  const older = await pretend(10, 5);
  assert.equal(older.code, 0);
  assert.deepEqual([older.plan.outcome, older.plan.goesOn], ['migrates', false]);
  const versions = older.plan.steps?.map(({ version }) => version) ?? [];
  assert.deepEqual(versions.slice(0, 4), [11, 12, 13, 14]);
  assert.equal(versions.at(-1), current.known);
  const { stdout } = await runHere(['upgrade', '--check'], { env });
  assert.match(
    stdout,
    /^ {2}11: creates audit_mark; builds indexes of hold \(0 rows\), whose writes wait; /m,
  );
  assert.match(stdout, /^ {2}14: adds columns to api_key, hold$/m);
  assert.match(stdout, /^ {2}29: drops turn, which nothing uses$/m);
  assert.match(stdout, /^Stop all processes of the version before first/m);
  assert.equal((await pretend(17, 5)).plan.goesOn, false);
  assert.equal((await pretend(current.known + 1, current.known)).plan.outcome, 'serves_older');
  const newer = await pretend(current.known + 2, current.known + 1);
  assert.deepEqual([newer.code, newer.plan.outcome], [1, 'too_new']);
  database.close();
});

test('looks at PostgreSQL in the same way', { skip: withoutPostgres }, async (t) => {
  const [empty, used] = [await createPostgresDatabase('empty'), await createPostgresDatabase('migrated')];
  t.after(async () => {
    await empty.giveBack();
    await used.giveBack();
  });
  assert.equal((await check({ MAILPROOF_DATABASE_URL: empty.url })).plan.outcome, 'new');
  assert.equal((await empty.contents()).length, 0, 'no table was made');
  assert.equal((await check({ MAILPROOF_DATABASE_URL: used.url })).plan.outcome, 'up_to_date');
  await used.execute('update schema_version set version = 12');
  const { plan } = await check({ MAILPROOF_DATABASE_URL: used.url });
  assert.deepEqual([plan.outcome, plan.steps?.[0]?.version], ['migrates', 13]);
  const env = { MAILPROOF_DATABASE_URL: 'postgres://postgres:hunter2@127.0.0.1:1/mailproof' };
  const failed = await runHere(['upgrade', '--check'], { env });
  assert.equal(failed.code, 3);
  assert.doesNotMatch(failed.stderr, /hunter2/);
});

test('without --check it changes nothing and says how to upgrade', async () => {
  const { code, stderr } = await runHere(['upgrade']);
  assert.equal(code, 2);
  assert.match(stderr, /upgrade --help/);
});
