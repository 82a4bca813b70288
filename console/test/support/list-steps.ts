/** What a person does with a list, step by step. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';

export type ListFile = { name: string; text: string | Buffer };

/** So many people whom a catch-all host takes: each is charged for, so that what is paid twice shows. */
export function people(count: number): ListFile & { text: string } {
  const rows = Array.from({ length: count }, (_, i) => `${i + 1},person-${i + 1}@bright-ideas.example`);
  return { name: 'people.csv', text: ['id,email', ...rows, ''].join('\n') };
}

/** Goes to the page of lists by the header. */
export async function openLists(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Lists' }).click();
}

/** Chooses the file on the page of lists; what comes then is the caller's to await. */
export async function chooseFile(page: Page, { name, text }: ListFile): Promise<void> {
  await openLists(page);
  const buffer = Buffer.from(text);
  await page.getByLabel('Drop a file here').setInputFiles({ name, mimeType: 'text/csv', buffer });
}

/** Brings the file, and waits until the page has said what was found in it. */
export async function bringList(page: Page, file: ListFile): Promise<void> {
  await chooseFile(page, file);
  await page.getByRole('heading', { level: 1, name: file.name }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'What was found' }).waitFor();
}

/** Agrees to the cost in both places; what comes then is the caller's to await. */
export async function agree(page: Page, confirm = 'Spend and check'): Promise<void> {
  await page.getByRole('button', { name: /^Check [\d,]+ address/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
}

/** The headline of a list that has ended. */
export function headline(page: Page): Locator {
  return page.getByRole('heading', { level: 2, name: /mailed/ });
}

/** The figure under a heading such as `Rows`, as the page shows it. */
export async function fact(page: Page, name: string): Promise<string> {
  return await page
    .locator('dl.facts > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .innerText();
}

type Saved = { name: string; text: string };
type DownloadWish = { rows?: RegExp; format?: string };

/** Downloads the rows that are wanted, as a person chooses them. */
export async function download(page: Page, { rows, format }: DownloadWish = {}): Promise<Saved> {
  if (rows !== undefined) {
    const choice = page.getByLabel('Rows to download');
    await choice.selectOption(await choice.getByRole('option', { name: rows }).innerText());
  }
  if (format !== undefined) await page.getByLabel('Format').selectOption(format);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download/ }).click(),
  ]);
  return { name: saved.suggestedFilename(), text: readFileSync(await saved.path(), 'utf8') };
}
