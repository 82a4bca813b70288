import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openStore, storeFile } from '@mailproof/service';
import type { DoctorParts } from './check.ts';
import { checkRoutes } from './check-routes.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailproof-routes-'));
after(() => rmSync(folder, { recursive: true }));

function examine(dataDir: string) {
  return checkRoutes({ config: { dataDir, databaseUrl: undefined } } as DoctorParts);
}

test('without a store there is nothing to say, and none is made', async () => {
  const dataDir = join(folder, 'none');
  assert.equal((await examine(dataDir))[0]?.state, 'not_checked');
  assert.ok(!readdirSync(folder).includes('none'));
});

test('a route that rests is told with its remedy, one that is blocked by a provider with its name', async () => {
  const dataDir = join(folder, 'data');
  await (await openStore({ dataDir, check: false })).close();
  assert.deepEqual(await examine(dataDir), [{ check: 'routes', state: 'ok', seen: 'none is resting' }]);
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
      ['warning', `office rests until ${new Date(until).toISOString()}, because several providers block it`],
      ['warning', 'second is blocked by google'],
    ],
  );
  assert.ok(findings.every(({ remedy }) => remedy !== undefined));
});
