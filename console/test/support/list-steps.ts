/** The steps of a person with a list. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';

export type ListFile = { name: string; text: string | Buffer };

/** Returns addresses at a catch-all host. Each is charged, so a double charge shows. */
export function people(count: number): ListFile & { text: string } {
  const rows = Array.from({ length: count }, (_, i) => `${i + 1},person-${i + 1}@bright-ideas.example`);
  return { name: 'people.csv', text: ['id,email', ...rows, ''].join('\n') };
}

/** Opens the page of lists from the header. */
export async function openLists(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Lists' }).click();
}

/** Chooses the file on the page of lists; the caller awaits the rest. */
export async function chooseFile(page: Page, { name, text }: ListFile): Promise<void> {
  await openLists(page);
  const buffer = Buffer.from(text);
  await page.getByLabel('Drop a file here').setInputFiles({ name, mimeType: 'text/csv', buffer });
}

/** Uploads the file, and waits for its counts. */
export async function bringList(page: Page, file: ListFile): Promise<void> {
  await chooseFile(page, file);
  await page.getByRole('heading', { level: 1, name: file.name }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'File contents' }).waitFor();
}

/** Agrees to the cost in both places; the caller awaits the rest. */
export async function agree(page: Page, confirm = 'Spend and check'): Promise<void> {
  await page.getByRole('button', { name: /^Check [\d,]+ address/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
}

/** Returns the headline of a list that has ended. */
export function headline(page: Page): Locator {
  return page.getByRole('heading', { level: 2, name: /mailed|safe to send/ });
}

/** Returns the figure under a heading such as `Rows`, as shown. */
export async function fact(page: Page, name: string): Promise<string> {
  return await page
    .locator('dl.facts > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .innerText();
}

type Saved = { name: string; text: string };
type DownloadWish = { rows?: RegExp; format?: string };

/** Downloads the wanted rows, as a person chooses them. */
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
