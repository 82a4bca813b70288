/** Saves pictures of the page in `artifacts/console/`, which is not in the repository. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = join(import.meta.dirname, '../../../artifacts/console');

export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // A dialog covers the window, not the whole page.
  const fullPage = !(await page.getByRole('dialog').isVisible());
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage, animations: 'disabled' });
}
