/** The output of the keys at the first start. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApiClient } from '../support/api-client.ts';
import { openFixture } from '../support/open-fixture.ts';

const world = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test'] as [number, string]] } },
  hosts: { 'mx.brisk.test': {} },
};

test('to a file for its owner alone, which one line of the log names; the log itself holds none', async () => {
  const settings = { MAILPROOF_FIRST_KEYS: 'file' };
  const fixture = await openFixture({ world, settings });
  const file = join(fixture.dataDir, 'first-keys.txt');
  writeFileSync(file, 'of another installation, and readable for all', { mode: 0o644 });
  try {
    const serving = await fixture.serve();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [testKey = ''] = /mp_test_\w+/.exec(readFileSync(file, 'utf8')) ?? [];
    const client = createApiClient(serving.url);
    assert.equal((await client.verify(testKey, 'safe@example.com')).status, 200);
    client.close();
    await serving.stop();
    assert.doesNotMatch(serving.stdout() + serving.stderr(), /mp_(?:live|test)_\w{20}/);
    const named = serving
      .stdout()
      .split('\n')
      .filter((line) => line.includes('first-keys.txt'));
    assert.equal(named.length, 1);
    assert.ok(named[0]?.includes(JSON.stringify(file)));
  } finally {
    await fixture.close();
  }
});

test('to standard output where nothing else is said, and to no file', async () => {
  const fixture = await openFixture({ world });
  try {
    const serving = await fixture.serve();
    assert.match(serving.stdout(), /live key {3}mp_live_/);
    assert.equal(statSync(join(fixture.dataDir, 'first-keys.txt'), { throwIfNoEntry: false }), undefined);
    await serving.stop();
  } finally {
    await fixture.close();
  }
});
