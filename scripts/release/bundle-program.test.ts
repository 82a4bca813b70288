import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApiClient, listsPath } from '../../service/test/support/api-client.ts';
import { makeWorkbook } from '../../service/test/support/make-workbook.ts';
import { openFixture } from '../../service/test/support/open-fixture.ts';
import { bundledProgram, bundleProgram } from './bundle-program.ts';

const root = join(import.meta.dirname, '../..');

test('a bundled program reads workbooks, with nothing of the checkout beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-bundle-'));
  await bundleProgram(root, folder);
  const fixture = await openFixture({ world: { zones: {}, hosts: { 'mx.x.example': { mailboxes: {} } } } });
  try {
    const { liveKey: key } = await fixture.openAccount({ credits: 1 });
    const { url } = await fixture.serve({ program: join(folder, bundledProgram), cwd: folder });
    const cell = (text: string) => `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`;
    const xml = ['Email', 'ada@x.example', 'bob@x.example'].map(cell).join('');
    const body = await makeWorkbook({ sheets: [{ name: 'People', xml }] });
    const client = createApiClient(url);
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await client.ask({ path: listsPath, key, body, headers });
    client.close();
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body['addresses'], 2);
  } finally {
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
