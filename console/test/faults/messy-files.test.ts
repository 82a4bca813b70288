import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  countsOf,
  messyFiles,
  refusedFiles,
  type MessyFile,
} from '../../../service/test/support/messy-files.ts';
import { bringList, chooseFile, fact } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';
import type { Visitor } from '../support/visitor.ts';

const figures = {
  rows: 'Rows',
  addresses: 'Addresses',
  duplicates: 'Duplicates',
  blank: 'Blank',
  rejected: 'Not an address',
  repaired: 'Repaired',
} as const;

/** No list is started: one person uploads one file after the other. */
describe('a file as people have them, brought to the console', () => {
  let fixture: ConsoleFixture;
  let visitor: Visitor;
  before(async () => {
    fixture = await openConsoleFixture();
    visitor = await fixture.visitor();
    visitor.expectTrouble('400 /api/v1/lists', '415 /api/v1/lists');
    await signIn(visitor.page, { origin: fixture.demo.url, secret: fixture.demo.liveKey });
  });
  after(async () => {
    await visitor.leave();
    await fixture.close();
  });

  for (const [name, { file, ...wish }] of Object.entries(messyFiles))
    test(`${name}: is counted as it is read`, async () => {
      const { page } = visitor;
      await bringList(page, { name, text: Buffer.from(await file) });
      await readAsWished(page, wish);
      for (const [figure, count] of Object.entries(countsOf(wish)))
        assert.equal(await fact(page, figures[figure as keyof typeof figures]), String(count), figure);
    });

  for (const [name, { file, says }] of Object.entries(refusedFiles))
    test(`${name}: is refused with what to do`, async () => {
      const { page } = visitor;
      await chooseFile(page, { name, text: Buffer.from(await file) });
      const notice = page.getByRole('alert').filter({ hasText: `${name} was not uploaded.` });
      await notice.getByText(says).first().waitFor();
    });
});

/** Chooses the column and the split on the page, once the file is there. */
async function readAsWished(page: Page, { column, split }: Omit<MessyFile, 'file' | 'reads'>): Promise<void> {
  const read = () =>
    page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok());
  if (column !== undefined) {
    const options = page.getByLabel('Column with the addresses');
    const heading = await options.getByRole('option', { name: column }).innerText();
    await Promise.all([read(), options.selectOption(heading)]);
  }
  if (split === true) await Promise.all([read(), page.getByLabel('Check every address in a cell').check()]);
  // The page shows the counts once its fields are enabled again.
  if (column !== undefined || split === true) await page.locator('#column:enabled').waitFor();
}
