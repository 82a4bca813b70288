import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openStore, storeFile } from '@mailproof/service';
import type { DoctorParts } from './doctor-parts.ts';
import { checkControls } from './check-store.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-controls-'));
after(() => rmSync(dataDir, { recursive: true }));

const examine = () => checkControls({ config: { dataDir, databaseUrl: undefined } } as DoctorParts);

test('a provider that rejects a control mailbox is told with its remedy, and only while it does', async () => {
  assert.deepEqual(await examine(), [], 'no store, nothing to say');
  await (await openStore({ dataDir, check: false })).close();
  assert.deepEqual(await examine(), []);
  const database = new DatabaseSync(storeFile(dataDir));
  const insert = database.prepare(
    'INSERT INTO engine_memory (kind, key, value, expires_at) VALUES (?, ?, ?, ?)',
  );
  insert.run('control', 'google', '"refused"', Date.now() + 3_600_000);
  insert.run('control', 'apple', '"refused"', 1);
  database.close();
  const findings = await examine();
  assert.deepEqual(
    findings.map(({ check, state, seen }) => [check, state, seen]),
    [
      [
        'control mailboxes',
        'warning',
        'google rejects a mailbox that you named as living, so its "no such mailbox" is not believed',
      ],
    ],
  );
  assert.ok(findings.every(({ remedy }) => remedy !== undefined));
});
