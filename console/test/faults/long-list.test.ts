import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { agree, bringList, download, fact, headline } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

/** Time for 100,000 rows on a busy machine. */
const runMs = 600_000;

describe('a list', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('of 100,000 rows is checked, scrolled to its end, filtered and saved', async () => {
    const kinds = ['safe', 'invalid', 'catch_all', 'inbox_full', 'role_account', 'unknown', 'disposable'];
    const rows = Array.from({ length: 100_000 }, (_, i) => {
      const kind = kinds[i % kinds.length] ?? '';
      return { line: `${i + 1},row-${i + 1}+${kind}@example.com`, kind };
    });
    const text = ['id,email', ...rows.map(({ line }) => line), ''].join('\n');
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin: fixture.demo.url, secret: fixture.demo.testKey });
    await bringList(page, { name: 'many.csv', text });
    await agree(page, 'Check for free (sandbox)');
    await headline(page).waitFor({ timeout: runMs });
    assert.equal(await fact(page, 'Rows'), '100,000');
    await page.getByText('100,000 rows').waitFor();
    assert.ok((await page.getByRole('row').count()) < 500, 'only what can be seen is drawn');

    const frame = page.getByRole('region', { name: 'Results, row by row' });
    await frame.focus();
    await page.keyboard.press('End');
    await page.getByRole('row', { name: rows.at(-1)?.line.split(',')[1] ?? '' }).waitFor();
    assert.ok((await page.getByRole('row').count()) < 500, 'wherever one has scrolled to');
    await page.keyboard.press('Home');
    await page.getByRole('row', { name: 'row-1+safe@example.com' }).waitFor();

    await page.getByLabel('Search addresses').fill('row-99999+');
    await page.getByText('1 of 100,000 rows').waitFor();
    const saved = await download(page);
    const lines = saved.text.split('\n');
    assert.equal(lines.length, 100_002);
    for (const [i, { line, kind }] of rows.entries()) {
      if (!lines[i + 1]?.startsWith(`${line},${kind},`)) assert.fail(`row ${i + 1}: ${lines[i + 1] ?? ''}`);
    }
    await visitor.leave();
  });
});
