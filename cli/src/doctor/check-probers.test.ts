import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { openStore, storeFile } from '@mailproof/service';
import type { DoctorParts } from './doctor-parts.ts';
import { checkProbers } from './check-store.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-probers-'));
after(() => rmSync(dataDir, { recursive: true }));

const seen = async () =>
  (await checkProbers({ config: { dataDir } } as DoctorParts)).map(
    (finding) => `${finding.state}: ${finding.seen}`,
  );

test('who asks mail hosts is told, and what keeps each from it with its remedy', async () => {
  assert.deepEqual(await seen(), ['not_checked: none is running now']);
  await (await openStore({ dataDir, check: false })).close();
  const database = new DatabaseSync(storeFile(dataDir));
  const write = database.prepare(
    `insert or replace into egress_address values (?, 'p', 'inside', 1, ?, '', 0, ?, ?, '{}', 100)`,
  );
  const until = Date.now() + 3_600_000;
  write.run('gone', 1, 1, '');
  assert.deepEqual(await seen(), ['not_checked: none is running now']);
  write.run('default', until, 1, '');
  assert.deepEqual(await seen(), ['ok: can ask from default']);
  write.run('second', until, 0, 'mail_port_blocked');
  assert.deepEqual(await seen(), ['warning: second cannot ask: mail port blocked']);
  write.run('default', until, 0, 'resting');
  assert.deepEqual(await seen(), [
    'problem: default cannot ask: resting',
    'problem: second cannot ask: mail port blocked',
  ]);
  database.close();
});
