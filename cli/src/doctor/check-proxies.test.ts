import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { parseCidr } from '@mailproof/engine';
import { openStore, storeFile } from '@mailproof/service';
import type { DoctorParts } from './doctor-parts.ts';
import { checkProxies } from './check-store.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-proxies-'));
after(() => rmSync(dataDir, { recursive: true }));

const examine = (...blocks: string[]) => {
  const trustedProxies = blocks.flatMap((block) => parseCidr(block) ?? []);
  return checkProxies({
    config: { dataDir, databaseUrl: undefined, trustedProxies },
  } as unknown as DoctorParts);
};

test('a proxy that is not trusted is told with its remedy, until it is trusted or a day is over', async () => {
  assert.deepEqual(await examine(), [], 'no store, nothing to say');
  await (await openStore({ dataDir, check: false })).close();
  assert.deepEqual(await examine(), []);
  const database = new DatabaseSync(storeFile(dataDir));
  const insert = database.prepare(
    'INSERT OR REPLACE INTO engine_memory (kind, key, value, expires_at) VALUES (?, ?, ?, ?)',
  );
  insert.run('untrusted_proxy', 'last', '192.0.2.7', Date.now() + 3_600_000);
  const [finding, ...others] = await examine('198.51.100.0/24');
  assert.deepEqual([finding?.check, finding?.state, others], ['trusted proxies', 'warning', []]);
  assert.match(finding?.seen ?? '', /^192\.0\.2\.7 sends forwarding headers/);
  assert.match(finding?.remedy ?? '', /MAILPROOF_TRUSTED_PROXIES/);
  assert.deepEqual(await examine('192.0.2.0/24'), []);
  insert.run('untrusted_proxy', 'last', '192.0.2.7', 1);
  database.close();
  assert.deepEqual(await examine(), []);
});
