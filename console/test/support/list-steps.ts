/** What a person does with a list, step by step. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';

type ListFile = { name: string; text: string };

/** Brings the file, and waits until the page has said what it costs. */
export async function bringList(page: Page, { name, text }: ListFile): Promise<void> {
  await page.getByRole('link', { name: 'Lists' }).click();
  const buffer = Buffer.from(text);
  await page.getByLabel('Drop a file here').setInputFiles({ name, mimeType: 'text/csv', buffer });
  await page.getByRole('heading', { level: 2, name }).waitFor();
}

/** Agrees to the cost in both places; what comes then is the caller's to await. */
export async function agree(page: Page, confirm = 'Spend and check'): Promise<void> {
  await page.getByRole('button', { name: /^Check [\d,]+ address/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
}

export function done(page: Page, name: string): Locator {
  return page.getByRole('heading', { level: 2, name: `${name} has been checked` });
}

/** The figure under a heading such as `Rows`, as the page shows it. */
export async function fact(page: Page, name: string): Promise<string> {
  return await page
    .locator('dl.facts > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .innerText();
}

export async function download(page: Page, rows?: RegExp): Promise<{ name: string; text: string }> {
  if (rows !== undefined) {
    const choice = page.getByLabel('Rows to download');
    const label = await choice.getByRole('option', { name: rows }).innerText();
    await choice.selectOption(label);
  }
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  return { name: saved.suggestedFilename(), text: readFileSync(await saved.path(), 'utf8') };
}
