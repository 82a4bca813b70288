import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { statement } from '../statement.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

const opened = statement((db) => db.selectFrom('schema_version').select('opened_at'));
const open = statement((db, arg: { at: number }) =>
  db.updateTable('schema_version').set({ opened_at: arg.at }),
);

async function openStores(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  const here = await openSqliteStore({ dataDir, check: false });
  const elsewhere = await openSqliteStore({ dataDir, check: false });
  t.after(async () => {
    await here.close();
    await elsewhere.close();
    rmSync(dataDir, { recursive: true });
  });
  const read = async () => (await here.read.first(opened, {}))?.opened_at;
  return { here, elsewhere, read };
}

test('whoever has written reads what was written, though others read in the same round of the event loop before', async (t) => {
  const { here, read } = await openStores(t);
  await here.write(async (tx) => {
    await tx.change(open, { at: 42 });
    assert.notEqual(await read(), 42, 'not committed yet');
    assert.notEqual(await read(), 42);
  });
  assert.equal(await read(), 42);
});

test('what another process has committed is seen in the next round', async (t) => {
  const { elsewhere, read } = await openStores(t);
  await Promise.all([read(), read(), read()]);
  await elsewhere.write((tx) => tx.change(open, { at: 43 }));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await read(), 43);
});

test('readers of the same round do not keep the log from being truncated', async (t) => {
  const { here, read } = await openStores(t);
  await here.write((tx) => tx.change(open, { at: 44 }));
  await Promise.all([read(), read(), read()]);
  assert.equal(await here.truncateLog(), true);
});
