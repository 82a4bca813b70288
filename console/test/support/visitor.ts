/**
 * A visitor of the page, with their own browser profile. Troubles are requests to another origin, breaches of the
 * Content-Security-Policy, errors of scripts and in the console, and answers of 400 or more. A visit with a trouble
 * that the test did not announce fails at its end.
 */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export type VisitorOptions = {
  /** The only origin that the page may call. */
  origin: string;
  width?: number;
};

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** Announces troubles by their beginnings, such as `401 /session`. */
  expectTrouble(...beginnings: string[]): void;
  /** Ends the visit, and fails after unannounced trouble. */
  leave(): Promise<void>;
  /** Returns the text and the troubles of the page, for the report of a failed test; nothing after the visit. */
  report(): Promise<string | undefined>;
};

/** A signed-out page learns its state from this refusal. */
const usual = ['401 /session'];

const heights: Record<number, number> = { 390: 844, 1280: 800 };

/** Time for every step of the page on a busy machine. */
const patienceMs = 60_000;

export async function newVisitor(browser: Browser, options: VisitorOptions): Promise<Visitor> {
  const { origin, width = 1280 } = options;
  const context = await browser.newContext({
    viewport: { width, height: heights[width] ?? 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    acceptDownloads: true,
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const expected = [...usual];
  const found = await watch(page, origin);
  return {
    page,
    context,
    expectTrouble: (...beginnings) => void expected.push(...beginnings),
    async leave() {
      await lastWords(page);
      await context.close();
      const isExpected = (trouble: string) => expected.some((start) => trouble.startsWith(start));
      assert.deepEqual(
        found.filter((trouble) => !isExpected(trouble)),
        [],
      );
    },
    async report() {
      if (page.isClosed()) return undefined;
      const shown = await page.innerText('body', { timeout: 5_000 }).catch(String);
      return `${page.url()} showed: ${shown}\nTroubles: ${found.join(', ') || 'none'}`;
    },
  };
}

/** Waits for messages of the page that are still under way: the answer to this call comes after them. */
async function lastWords(page: Page): Promise<void> {
  if (page.isClosed()) return;
  await page.evaluate(() => new Promise((resolve) => void setTimeout(resolve)));
}

async function watch(page: Page, origin: string): Promise<string[]> {
  const troubles: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) troubles.push(`left for ${url}`);
  });
  page.on('response', (response) => {
    // If a busy machine refuses requests, the page retries as told, and the test sees its success.
    const isTurnedAway = response.status() === 503 && response.headers()['retry-after'] !== undefined;
    if (response.status() >= 400 && !isTurnedAway)
      troubles.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  page.on('requestfailed', (request) => {
    const path = new URL(request.url()).pathname;
    // Requests of a page that was left, or aborted by the page, are no failures.
    const words = request.failure()?.errorText ?? '';
    if (words !== 'net::ERR_ABORTED') troubles.push(`failed ${path} ${words}`);
  });
  page.on('console', (message) => {
    // A failed load is already reported by its answer, with the path.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`));
  page.on('crash', () => troubles.push('the page crashed'));
  await page.exposeBinding(
    'tellBreach',
    (_source, breach: string) => void troubles.push(`policy: ${breach}`),
  );
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { tellBreach } = window as unknown as { tellBreach: (breach: string) => void };
      tellBreach(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return troubles;
}
