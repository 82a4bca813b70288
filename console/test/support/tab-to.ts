import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

const mostTabs = 60;

/** Presses Tab until the wanted element has the focus, and asserts that the focus is visible. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let tabs = 0; tabs < mostTabs; tabs += 1) {
    await page.keyboard.press('Tab');
    if (await wanted.evaluate((element) => element === document.activeElement)) {
      const outline = await wanted.evaluate((element) => getComputedStyle(element).outlineStyle);
      assert.notEqual(outline, 'none', 'whoever uses the keyboard sees where they are');
      return;
    }
  }
  throw new Error(`${mostTabs} times Tab did not lead there`);
}
