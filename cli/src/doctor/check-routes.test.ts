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
import type { DoctorParts } from './doctor-parts.ts';
import { checkRoutes } from './check-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-routes-'));
after(() => rmSync(folder, { recursive: true }));

function examine(dataDir: string, databaseUrl?: string) {
  return checkRoutes({ config: { dataDir, databaseUrl } } as DoctorParts);
}

test('without a store there is nothing to say, and none is made', async () => {
  const dataDir = join(folder, 'none');
  assert.equal((await examine(dataDir))[0]?.state, 'not_checked');
  assert.ok(!readdirSync(folder).includes('none'));
});

test('a route that rests is told with its remedy, one that is blocked by a provider with its name', async () => {
  const dataDir = join(folder, 'data');
  await (await openStore({ dataDir, check: false })).close();
  assert.deepEqual(await examine(dataDir), [{ check: 'routes', state: 'ok', seen: 'none is paused' }]);
  const until = Date.now() + 3_600_000;
  const rows = {
    office: { restingUntil: until, restingGroups: [] },
    second: {
      restingGroups: [
        { group: 'google', until },
        { group: 'old', until: 1 },
      ],
    },
    well: { restingUntil: 1, restingGroups: [] },
  };
  const database = new DatabaseSync(storeFile(dataDir));
  const insert = database.prepare(
    'INSERT INTO engine_memory (kind, key, value, expires_at) VALUES (?, ?, ?, ?)',
  );
  for (const [key, value] of Object.entries(rows)) insert.run('route', key, JSON.stringify(value), until);
  database.close();
  const findings = await examine(dataDir);
  assert.deepEqual(
    findings.map(({ state, seen }) => [state, seen]),
    [
      [
        'warning',
        `office is paused until ${new Date(until).toISOString()} because several providers block it`,
      ],
      ['warning', 'second is blocked by google'],
    ],
  );
  assert.ok(findings.every(({ remedy }) => remedy !== undefined));
});

test(
  'on PostgreSQL they are read from the database, whose tables are left to the service',
  { skip: withoutPostgres },
  async (t) => {
    const [empty, used] = [await createPostgresDatabase('empty'), await createPostgresDatabase('migrated')];
    t.after(async () => {
      await empty.giveBack();
      await used.giveBack();
    });
    const seen = async (url: string) =>
      (await examine(folder, url)).map((finding) => `${finding.state}: ${finding.seen}`);
    assert.deepEqual(await seen(empty.url), ['not_checked: no service has run on this database yet']);
    assert.equal((await empty.contents()).length, 0, 'no table was made');
    assert.deepEqual(await seen(used.url), ['ok: none is paused']);
    const value = JSON.stringify({ restingGroups: [{ group: 'google', until: Date.now() + 3_600_000 }] });
    await used.execute(`insert into engine_memory values ('route', 'office', '${value}', 9007199254740991)`);
    assert.deepEqual(await seen(used.url), ['warning: office is blocked by google']);
    const [nobody = ''] = await seen('postgres://postgres:hunter2@127.0.0.1:1/mailproof');
    assert.match(nobody, /^not_checked: .*cannot be reached/);
    assert.doesNotMatch(nobody, /hunter2/);
  },
);
