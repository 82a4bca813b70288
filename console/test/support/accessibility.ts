/** Finds accessibility faults of the page with axe-core, each with its rule and place. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

type WithAxe = { axe?: { run(options: { resultTypes: string[] }): Promise<AxeResults> } };

export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The page's policy forbids foreign scripts, so the debugger adds it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const results = await page.evaluate(() =>
    (globalThis as unknown as WithAxe).axe?.run({ resultTypes: ['violations'] }),
  );
  if (results === undefined || results.passes.length === 0) return ['axe-core found nothing to look at'];
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
}
