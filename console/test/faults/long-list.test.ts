import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { agree, bringList, done, download, fact } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

describe('a list', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('of 10,000 rows is checked, sorted and saved', async () => {
    const kinds = ['safe', 'invalid', 'catch_all', 'inbox_full', 'role_account', 'unknown', 'disposable'];
    const rows = Array.from({ length: 10_000 }, (_, i) => {
      const kind = kinds[i % kinds.length] ?? '';
      return { line: `${i + 1},row ${i + 1}+${kind}@example.com`.replace('row ', 'row-'), kind };
    });
    const text = ['id,email', ...rows.map(({ line }) => line), ''].join('\n');
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret: fixture.demo.testKey });
    await bringList(page, { name: 'many.csv', text });
    await agree(page, 'Check for free (sandbox)');
    await done(page, 'many.csv').waitFor();
    assert.equal(await fact(page, 'Rows'), '10,000');
    assert.ok((await page.getByRole('row').count()) < 500, 'only what can be seen is drawn');
    await page.getByLabel('Filter by status').selectOption('inbox_full');
    await page.getByText('1,429 of 10,000 rows').waitFor();
    await page.getByRole('button', { name: 'Row', exact: true }).click();
    await page.getByRole('row', { name: 'row-9993+inbox_full@example.com' }).waitFor();
    const saved = await download(page);
    const lines = saved.text.split('\n');
    assert.equal(lines.length, 10_002);
    for (const [i, { line, kind }] of rows.entries()) {
      if (!lines[i + 1]?.startsWith(`${line},${kind},`)) assert.fail(`row ${i + 1}: ${lines[i + 1] ?? ''}`);
    }
    await visitor.leave();
  });
});
